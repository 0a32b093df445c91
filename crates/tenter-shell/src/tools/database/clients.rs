//! Programs that carry SQL to a server, or its data here and back.

use std::rc::Rc;

use crate::act::Act;
use crate::call::Call;
use crate::code::Code;
use crate::effect::{Certainty, Kind};
use crate::flow::{Source, Stream};
use crate::options::{Options, Spec, parse};
use crate::span::Origin;
use crate::target::Target;
use crate::tools::sql;
use crate::tools::table::{is_harmless, on};
use crate::value::Field;

/// Code in options, then files, else standard input.
fn carry(call: &mut Call<'_, '_>, options: &Options<'_>, code: &[&str], files: &[&str]) {
    if is_harmless(options, &[]) || options.has(&["version", "V"]) {
        return;
    }
    let mut given = false;
    for found in &options.found {
        let Some(value) = &found.value else { continue };
        if code.contains(&found.name) {
            sql::field(call, value);
            lost_quotes(call, value, &options.operands);
            given = true;
        } else if files.contains(&found.name) {
            sql::file(call, value);
            given = true;
        }
    }
    if !given {
        let stdin = call.stdin.clone();
        let span = call.span;
        sql::stream(call, &stdin, span);
    }
}

/// `psql -c DROP TABLE users`: a lone verb is no statement. The quotes were probably lost, and a server may
/// get the statement once they are back.
fn lost_quotes(call: &mut Call<'_, '_>, code: &Field, operands: &[&Field]) {
    let verb = code.exact().unwrap_or_default();
    let is_verb =
        ["drop", "delete", "truncate", "alter"].iter().any(|one| one.eq_ignore_ascii_case(verb));
    if is_verb && !operands.is_empty() {
        unquoted(call, code, operands.iter().copied());
    }
}

/// A statement without a client, which may be passed to one.
pub(super) fn bare(call: &mut Call<'_, '_>) {
    let verb = Field::text(call.name, call.span);
    let arguments = call.arguments();
    unquoted(call, &verb, arguments.iter());
}

/// Words that are one statement, which may be carried out.
fn unquoted<'f>(call: &mut Call<'_, '_>, verb: &Field, operands: impl Iterator<Item = &'f Field>) {
    let mut text = verb.shown();
    let mut span = verb.span;
    for operand in operands {
        text.push(' ');
        text.push_str(&operand.shown());
        span = span.to(operand.span);
    }
    let certainty = call.machine.certainty;
    call.machine.certainty = certainty.min(Certainty::Possible);
    sql::sql(call, Code { text: &text, origin: Origin::Computed(span) });
    call.machine.certainty = certainty;
}

pub(super) fn psql(call: &mut Call<'_, '_>) {
    const PSQL: Spec = Spec::new(
        "c:d:f:h:p:U:v:o:L:F:R:T:P:W",
        "command= dbname= file= host= port= username= set= variable= output= log-file= \
         field-separator= record-separator= table-attr= pset=",
    );
    let options = call.options(&PSQL);
    carry(call, &options, &["c", "command"], &["f", "file"]);
    let output = options.value(&["o", "output"]);
    if let Some(file) = output {
        call.write(Kind::Overwrite, Act::Export, file, Stream::default());
    }
}

pub(super) fn mysql(call: &mut Call<'_, '_>) {
    const MYSQL: Spec = Spec::new(
        "e:u:p::h:P:D:S:",
        "execute= user= password=? host= port= database= socket= protocol= \
         default-character-set= init-command= defaults-file= defaults-extra-file= \
         ssl-ca= ssl-mode= tee= delimiter= login-path= max-allowed-packet=",
    );
    let options = call.options(&MYSQL);
    carry(call, &options, &["e", "execute", "init-command"], &[]);
}

/// `sqlite3 [options] file [code...]`.
pub(super) fn sqlite(call: &mut Call<'_, '_>) {
    const SQLITE: Spec = Spec::one_dash(
        "cmd= init= separator= newline= nullvalue= mmap= maxsize= vfs= c= s= f= file=",
    );
    let options = call.options(&SQLITE);
    if options.has(&["help", "version"]) {
        return;
    }
    // The content of the file can be printed.
    if let Some(file) = options.operands.first().filter(|file| !file.is(":memory:")) {
        call.stdout = call.read(Act::Open, file);
    }
    let operands = options.operands.get(1..).unwrap_or_default();
    for code in options.values(&["cmd", "c", "s"]) {
        sql::field(call, code);
    }
    for file in options.values(&["init", "f", "file"]) {
        sql::file(call, file);
    }
    sql::operands(call, operands);
    if operands.is_empty() && !options.has(&["c", "f", "s", "file"]) {
        let stdin = call.stdin.clone();
        let span = call.span;
        sql::stream(call, &stdin, span);
    }
}

pub(super) fn clickhouse(call: &mut Call<'_, '_>) {
    const CLICKHOUSE: Spec = Spec::new(
        "q:h:u:d:f:",
        "execute= file= server= catalog= schema= query= queries-file= host= port= user= password= database= format= config-file=",
    );
    let options = call.options(&CLICKHOUSE);
    carry(call, &options, &["q", "query", "execute"], &["queries-file", "f", "file"]);
}

pub(super) fn sqlcmd(call: &mut Call<'_, '_>) {
    let options =
        call.options(&Spec::new("q:Q:i:o:S:U:P:d:t:v:h:s:w:H:l:a:", "query= input-file="));
    carry(call, &options, &["q", "Q", "query"], &["i", "input-file"]);
}

/// `sqlplus user/password@place`, with statements through standard input.
pub(super) fn sqlplus(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("C:M:R:", ""));
    carry(call, &options, &[], &[]);
}

/// `db2 'drop database x'`.
pub(super) fn statements(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new("f:l:r:z:", ""));
    for file in options.values(&["f"]) {
        sql::file(call, file);
    }
    sql::operands(call, &options.operands);
}

/// `cypher-shell 'MATCH (n) DETACH DELETE n'`.
pub(super) fn cypher(call: &mut Call<'_, '_>) {
    let options =
        call.options(&Spec::new("a:u:p:d:f:P:", "address= username= password= database= file="));
    let stdin = call.stdin.text.clone().map(|text| Field::text(text, call.span));
    let given = options.operands.iter().copied().chain(stdin.as_ref());
    for code in given {
        let lower = code.shown().to_ascii_lowercase();
        let limited = ["where", "{", "limit"].iter().any(|word| lower.contains(word));
        let action = if lower.contains("drop database") {
            Act::DropDatabase
        } else if lower.contains("delete") && !limited {
            Act::DeleteAll
        } else if lower.contains("delete") {
            Act::DeleteRows
        } else {
            continue;
        };
        call.effect_at(Kind::Database, action, Target::None, code.span);
    }
}

pub(super) fn cqlsh(call: &mut Call<'_, '_>) {
    let options =
        call.options(&Spec::new("e:f:u:p:k:", "execute= file= username= password= keyspace="));
    carry(call, &options, &["e", "execute"], &["f", "file"]);
}

pub(super) fn snowsql(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::new(
        "q:f:c:a:u:d:s:w:r:o:",
        "query= filename= connection= accountname= username= dbname= option=",
    ));
    carry(call, &options, &["q", "query"], &["f", "filename"]);
}

pub(super) fn cockroach(call: &mut Call<'_, '_>) {
    let options = call
        .options(&Spec::new("e:f:d:u:", "execute= file= host= url= database= user= certs-dir="));
    match (options.operand(0), options.operand(1)) {
        (Some("sql"), _) => carry(call, &options, &["e", "execute"], &["f", "file"]),
        (Some("node"), Some(action @ ("drain" | "decommission"))) => {
            let target = Target::name(action);
            call.effect(Kind::Database, Act::Shutdown, target);
        }
        _ => {}
    }
}

pub(super) fn dropdb(call: &mut Call<'_, '_>) {
    let spec = Spec::new(
        "h:p:U:W:T:E:O:D:l:c:",
        "host= port= username= maintenance-db= template= encoding= owner= tablespace= \
         locale=",
    );
    let options = call.options(&spec);
    if is_harmless(&options, &["version", "V", "?"]) {
        return;
    }
    let action = match call.name {
        "dropdb" => Act::DropDatabase,
        "dropuser" => Act::DropUser,
        "createdb" => Act::CreateDatabase,
        _ => Act::CreateUser,
    };
    let force = options.has(&["f", "force"]);
    match options.operands.first() {
        Some(name) => on(call, Kind::Database, action, name, false).flags(false, force),
        None => call.effect(Kind::Database, action, Target::None).force = force,
    }
}

/// The content of a database goes to a file or to standard output.
pub(super) fn dump(call: &mut Call<'_, '_>) {
    const DUMP: Spec = Spec::new(
        "f:F:h:p:U:d:t:n:T:N:j:Z:o:u:c:r:P:q:S:l:",
        "file= format= host= port= username= dbname= table= schema= exclude-table= \
         exclude-schema= jobs= compress=? out= archive=? uri= db= collection= query= \
         result-file= user= password=? ignore-table= where= databases all-databases \
         tables socket= protocol= database= authenticationDatabase= fields= type=",
    );
    let mut options = call.options(&DUMP);
    if call.name.contains("mysql") || call.name.contains("mariadb") {
        // Their `-p` takes no word of its own, and some letters are flags.
        options = call.options(&Spec { short: "h:P:u:p::r:S:", ..DUMP });
    }
    if is_harmless(&options, &["version", "V"]) {
        return;
    }
    let database =
        options.value(&["d", "db", "dbname", "uri"]).or(options.operands.first().copied());
    let shown = database.map_or_else(String::new, Field::shown);
    let span = database.map_or(call.span, |field| field.span);
    let source = ["database ", &shown].concat();
    call.effect_at(Kind::Read, Act::Dump, Target::Name(shown), span);
    let content = Stream::from(Source::Store(Rc::from(source.trim_end())));
    let file = options.value(&["f", "file", "o", "out", "archive", "r", "result-file"]);
    match file {
        Some(file) => {
            call.write(Kind::Overwrite, Act::Dump, file, content);
            call.stdout = Stream::empty();
        }
        None if call.name == "mongodump" && !options.has(&["archive"]) => {
            call.stdout = Stream::default();
        }
        None => call.stdout = content,
    }
}

pub(super) fn restore(call: &mut Call<'_, '_>) {
    const RESTORE: Spec = Spec::new(
        "d:h:p:U:t:n:j:F:f:I:L:P:T:S:u:c:",
        "dbname= host= port= username= table= schema= jobs= format= file= index= \
         use-list= db= collection= uri= archive=? nsInclude= nsExclude= role= section= \
         mode= type= password= drop clean create dir=",
    );
    let mut options = call.options(&RESTORE);
    if call.name == "pg_restore" {
        options = call.options(&Spec { short: "d:h:p:U:t:n:j:F:f:I:L:P:T:S:", ..RESTORE });
    }
    if is_harmless(&options, &["l", "list", "dryRun", "version", "V"]) {
        return;
    }
    for file in options.operands.iter().chain(options.value(&["archive", "dir"]).iter()) {
        call.read(Act::Import, file);
    }
    let database = options.value(&["d", "dbname", "db", "uri"]);
    let target = database.map_or(Target::None, Call::named);
    // Without a database `pg_restore` prints statements.
    if call.name == "pg_restore" && database.is_none() {
        return;
    }
    let clean =
        options.has(&["drop", "clean"]) || (call.name == "pg_restore" && options.has(&["c"]));
    let action = if clean { Act::RestoreClean } else { Act::Restore };
    call.effect(Kind::Database, action, target);
}

pub(super) fn mysqladmin(call: &mut Call<'_, '_>) {
    let spec = Spec::new(
        "u:p::h:P:S:i:w::c:",
        "user= password=? host= port= socket= protocol= defaults-file= sleep= count=",
    );
    let options = call.options(&spec);
    let force = options.has(&["f", "force"]);
    let mut words = options.operands.iter();
    while let Some(word) = words.next() {
        let action = match word.exact().unwrap_or_default() {
            "drop" => Act::DropDatabase,
            "create" => Act::CreateDatabase,
            "shutdown" => Act::Shutdown,
            "kill" => Act::Terminate,
            "password" => Act::Grant,
            "flush-logs" | "flush-binary-log" => Act::DeleteLogs,
            _ => continue,
        };
        let named = matches!(action, Act::DropDatabase | Act::CreateDatabase | Act::Terminate);
        let name = if named { words.next() } else { None };
        match name {
            Some(name) => on(call, Kind::Database, action, name, false).flags(false, force),
            None => call.effect(Kind::Database, action, Target::None).force = force,
        }
    }
}

/// Servers and the files they live in.
pub(super) fn server(call: &mut Call<'_, '_>) {
    let options =
        parse(call.arguments(), &Spec::new("D:m:l:o:t:s:", "pgdata= mode= log= timeout="));
    if is_harmless(&options, &["n", "dry-run", "version", "V"]) {
        return;
    }
    let directory = options.value(&["D", "pgdata"]);
    match call.name {
        "pg_resetwal" => {
            if let Some(directory) = directory.or(options.operands.first().copied()) {
                call.on_path(Kind::Overwrite, Act::ResetLog, directory).force =
                    options.has(&["f", "force"]);
            }
        }
        "pg_dropcluster" => {
            let name =
                options.operands.iter().map(|field| field.shown()).collect::<Vec<_>>().join("/");
            call.effect(Kind::Database, Act::DropDatabase, Target::Name(name)).recursive = true;
        }
        _ => {
            let action = options.operands.iter().find_map(|field| match field.exact()? {
                "stop" => Some(Act::Stop),
                "restart" => Some(Act::Restart),
                "start" => Some(Act::Start),
                "promote" => Some(Act::Promote),
                "kill" => Some(Act::Kill),
                _ => None,
            });
            if let Some(action) = action {
                // A cluster in a folder of one's own is not the service of the machine.
                let own = |field: &&Field| {
                    let text = field.prefix();
                    !text.contains("..")
                        && (text.starts_with("/tmp/")
                            || (!text.is_empty() && !text.starts_with(['/', '~', '.'])))
                };
                let name = directory.filter(own).map_or("postgresql".into(), Field::shown);
                call.effect(Kind::Service, action, Target::Name(name));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::flow::Stream;
    use crate::run::testing::{effects, effects_with};
    use crate::tools::table::testing::check;

    #[test]
    fn code_is_found_where_each_client_takes_it() {
        check(
            "
            psql -U me -d shop -c 'drop table t' => database drop-table t certain
            psql -h db -c 'select 1' -c 'truncate t' => database truncate t certain
            psql --command='drop table t' => database drop-table t certain
            psql postgres://h/db =>
            psql -l =>
            psql -c drop table t => database drop-table t possible
            psql -c select drop table t =>
            mysql -u root -psecret shop -e 'drop table t' => database drop-table t certain
            mysql -p -e 'drop database shop' => database drop-database shop certain
            mariadb --execute='drop table t' => database drop-table t certain
            sqlite3 -cmd '.mode csv' x.db 'delete from t' => read open /shop/x.db certain; database delete-all t certain
            sqlite3 x.db => read open /shop/x.db certain
            sqlite3 :memory: 'select 1' =>
            duckdb x.db -c 'drop table t' => read open /shop/x.db certain; database drop-table t certain
            clickhouse-client --query 'drop table t' => database drop-table t certain
            sqlcmd -S h -Q 'drop table [a b]' => database drop-table a b certain
            cqlsh -e 'drop keyspace k' => database drop-database k certain
            cockroach sql -e 'drop table t' => database drop-table t certain
            snowsql -q 'drop table t' => database drop-table t certain
            bq query 'delete from a.t where true' => database delete-all a.t certain
            wrangler d1 execute db --command 'drop table t' => database drop-table t certain
            psql -f x.sql => read import /shop/x.sql certain
            psql -o out.txt -c 'select 1' => overwrite export /shop/out.txt certain
            ",
        );
    }

    #[test]
    fn code_comes_through_a_pipe() {
        assert_eq!(
            effects_with(&["psql", "shop"], Stream::known("DROP TABLE t;\nselect 1;")),
            ["database drop-table t certain"]
        );
        assert_eq!(
            effects_with(&["mysql"], Stream::from(crate::Source::Network("h".into()))).len(),
            1,
            "code from the network is code to run"
        );
        assert!(effects_with(&["psql"], Stream::from(crate::Source::Stdin)).is_empty());
        assert!(
            effects_with(&["psql", "-c", "select 1"], Stream::known("drop table t")).is_empty()
        );
    }

    #[test]
    fn databases_go_and_come_back() {
        check(
            "
            dropdb -h db --if-exists shop => database drop-database shop certain
            dropuser bob => database drop-user bob certain
            createdb shop => database create-database shop certain
            dropdb --help =>
            mysqladmin -u root -f drop shop => database drop-database shop certain -f
            mysqladmin status =>
            pg_restore --clean -d shop x.dump => read import /shop/x.dump certain; database restore-clean shop certain
            pg_restore -l x.dump =>
            pg_restore x.dump => read import /shop/x.dump certain
            mongorestore --drop dump => read import /shop/dump certain; database restore-clean  certain
            pg_ctl -D /var/lib/pg stop -m fast => service stop postgresql certain
            pg_ctl status =>
            pg_resetwal -f /var/lib/pg => overwrite reset-log /var/lib/pg certain -f
            pg_resetwal -n /var/lib/pg =>
            ",
        );
        assert_eq!(
            effects(&["pg_dump", "-Fc", "shop", "-f", "x.dump"]),
            [
                "read dump shop certain",
                "overwrite dump /shop/x.dump certain <[Store(\"database shop\")]"
            ]
        );
    }
}
