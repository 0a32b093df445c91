//! SQL: data lost, changed, written or run. Strings, comments and quoted names are never statements, and mere
//! definitions are not executed.
//!
//! Actions of the kind `database`:
//! - `drop-database`, `drop-schema`, `drop-table`, `drop-view`, `drop-index`, `drop-column`,
//!   `drop-user`, `drop-object`: something of the schema goes
//! - `truncate`, `delete-all`, `update-all`: all rows of a table go or change
//! - `delete-rows`, `update-rows`, `insert`: some of them
//! - `create`, `alter`, `create-user`, `grant`, `revoke`: schema and rights change
//! - `restore`, `terminate`, `shutdown`, `delete-logs`, `configure`: the server
//!
//! Others: `overwrite/export`, `read/import`, `install/extension`, and whatever a command does that
//! is run by `COPY ... PROGRAM`, `\!`, `.shell` or `xp_cmdshell`.

mod client;
mod lex;
mod statement;

use crate::act::Act;
use crate::analysis::Reason;
use crate::call::Call;
use crate::code::Code;
use crate::flow::Stream;
use crate::span::{Origin, Span};
use crate::value::{Field, Part};
use crate::world::Language;
use lex::{Lexer, Token};

/// Code inside code: `DO $$ ... $$`.
const MAX_BLOCKS: usize = 4;

/// Reports the effects of SQL.
pub(crate) fn sql(call: &mut Call<'_, '_>, code: Code<'_>) {
    run(call, code, 0);
}

fn run(call: &mut Call<'_, '_>, code: Code<'_>, depth: usize) {
    if depth > MAX_BLOCKS || !call.machine.budget.spend(code.text.len() / 4) {
        call.unverified(Reason::TooMuchWork, code.span(0, code.text.len()));
        return;
    }
    let mut lexer = Lexer::new(code.text, client::Client::of(call.name));
    let mut statement: Vec<Token> = Vec::new();
    let mut body = statement::Body::default();
    while let Some(token) = lexer.next() {
        match token.kind {
            lex::Kind::Client => {
                client::command(call, code, token);
                // `\g` and the like end a statement.
                flush(call, code, &mut statement, depth);
            }
            lex::Kind::End if !body.is_open() => {
                flush(call, code, &mut statement, depth);
            }
            _ => {
                body.see(statement.len(), token, code.text);
                statement.push(token);
            }
        }
    }
    flush(call, code, &mut statement, depth);
}

fn flush(call: &mut Call<'_, '_>, code: Code<'_>, tokens: &mut Vec<Token>, depth: usize) {
    if !tokens.is_empty() {
        statement::judge(call, code, tokens, depth);
        tokens.clear();
    }
}

/// SQL that an argument holds.
pub(crate) fn field(call: &mut Call<'_, '_>, field: &Field) {
    if let Some(text) = field.exact() {
        sql(call, Code { text, origin: field.origin() });
        return;
    }
    // Unknown parts appear by their name.
    if !matches!(field.parts.first(), Some(Part::Text { .. })) {
        call.unverified(Reason::DynamicCode, field.span);
    }
    let text = field.shown();
    sql(call, Code { text: &text, origin: Origin::Computed(field.span) });
}

/// SQL in several arguments.
pub(crate) fn operands(call: &mut Call<'_, '_>, operands: &[&Field]) {
    for operand in operands {
        field(call, operand);
    }
}

/// SQL that comes through a pipe or stands in a file.
pub(crate) fn stream(call: &mut Call<'_, '_>, code: &Stream, span: Span) {
    match &code.text {
        Some(text) => sql(call, Code { text, origin: Origin::Computed(span) }),
        // A dump that is unpacked on the way is only a dump.
        None if code.flow.from_network().is_some() => {
            call.run_stream(Language::Sql, code, span);
        }
        None => {}
    }
}

/// SQL in a file that an argument names.
pub(crate) fn file(call: &mut Call<'_, '_>, file: &Field) {
    let content = call.read(Act::Import, file);
    stream(call, &content, file.span);
}

#[cfg(test)]
mod tests {
    use crate::run::testing::effects;

    /// Checks `code => effects`, one per line.
    fn check(program: &str, table: &str) {
        for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (code, expected) = line.split_once(" =>").expect("a line has an arrow");
            let code = code.replace("\\n", "\n");
            let option = if program == "psql" { "-c" } else { "-e" };
            let found = match program {
                "sqlite3" => effects(&[program, ":memory:", &code]),
                _ => effects(&[program, option, &code]),
            };
            assert_eq!(found.join("; "), expected.trim(), "{code}");
        }
    }

    #[test]
    fn schema_and_rows_go() {
        check(
            "psql",
            "
            DROP DATABASE shop => database drop-database shop certain
            drop table if exists public.\"Users\", orders cascade => database drop-table public.Users certain -r; database drop-table orders certain -r
            DROP MATERIALIZED VIEW v => database drop-view v certain
            DROP INDEX CONCURRENTLY i => database drop-index i certain
            DROP SCHEMA public CASCADE => database drop-schema public certain -r
            DROP ROLE bob => database drop-user bob certain
            DROP FUNCTION f(int) => database drop-object f certain
            TRUNCATE TABLE ONLY a, b => database truncate a certain; database truncate b certain
            DELETE FROM users => database delete-all users certain
            DELETE FROM users WHERE id = 1 => database delete-rows users certain
            DELETE FROM users WHERE 1=1; => database delete-all users certain
            UPDATE users SET a = 1 => database update-all users certain
            UPDATE users SET a = 1 WHERE id = 2 => database update-rows users certain
            ALTER TABLE users DROP COLUMN email => database drop-column users certain
            ALTER TABLE users ADD COLUMN email text => database alter users certain
            GRANT ALL ON x TO bob => database grant bob certain
            WITH old AS (SELECT 1) DELETE FROM t => database delete-all t certain
            BEGIN; DROP TABLE t; COMMIT => database drop-table t certain
            /* x */ DROP /* y */ TABLE t -- z => database drop-table t certain
            DO $$ BEGIN DROP TABLE t; END $$ => database drop-table t certain
            EXPLAIN ANALYZE DELETE FROM t => database delete-all t certain
            ",
        );
    }

    #[test]
    fn text_is_not_code() {
        check(
            "psql",
            "
            SELECT 'DROP TABLE users' =>
            SELECT 1 -- ; DROP TABLE users =>
            SELECT /* ; DROP TABLE users; */ 1 =>
            SELECT * FROM \"drop table x\" WHERE a = 'it''s; delete from t' =>
            SELECT $$; DROP TABLE x;$$ =>
            SELECT $a$ $$; DROP TABLE x; $a$ =>
            EXPLAIN DELETE FROM t =>
            SELECT truncate(1.5, 1) =>
            CREATE TABLE a (id int REFERENCES b ON DELETE CASCADE) => database create a certain
            CREATE FUNCTION f() RETURNS void AS $$ DELETE FROM t $$ LANGUAGE sql => database create f certain
            CREATE TRIGGER g BEFORE INSERT ON t BEGIN DELETE FROM x; END; SELECT 1 => database create g certain
            SHOW TABLES =>
            VACUUM FULL =>
            INSERT INTO log VALUES ('drop table x') => database insert log certain
            ",
        );
    }

    #[test]
    fn commands_and_files_are_reached_from_sql() {
        check(
            "psql",
            r"
            COPY t TO PROGRAM 'docker rm x' => container remove-container x certain
            COPY t TO '/tmp/t.csv' => overwrite export /tmp/t.csv certain
            COPY t TO STDOUT =>
            COPY t FROM '/tmp/t.csv' => read import /tmp/t.csv certain; database insert t certain
            \! docker rm x => container remove-container x certain
            select 1 \g |docker rm x => container remove-container x certain
            \o /tmp/out => overwrite export /tmp/out certain
            \copy t to 'out.csv' csv => overwrite export /shop/out.csv certain
            \copy t from program 'docker rm x' => container remove-container x certain; database insert t certain
            \i x.sql => read import /shop/x.sql certain
            \dt =>
            SELECT pg_read_file('/etc/passwd') => read import /etc/passwd certain
            SELECT pg_terminate_backend(1) => database terminate  certain
            ",
        );
        check(
            "mysql",
            r#"
            SELECT 1 INTO OUTFILE '/tmp/x' => overwrite export /tmp/x certain
            # DROP TABLE x =>
            /*!50000 DROP TABLE x */ => database drop-table x certain
            DELETE FROM `a`.`b` => database delete-all a.b certain
            SELECT "a\"; DROP TABLE x; --" =>
            system docker rm x => container remove-container x certain
            \! docker rm x => container remove-container x certain
            source x.sql => read import /shop/x.sql certain
            PURGE BINARY LOGS TO 'x' => database delete-logs  certain
            "#,
        );
        check(
            "sqlite3",
            r"
            .shell docker rm x => container remove-container x certain
            .output /tmp/x => overwrite export /tmp/x certain
            .tables =>
            .dump =>
            DROP TABLE t => database drop-table t certain
            .read x.sql => read import /shop/x.sql certain
            ",
        );
    }

    #[test]
    fn broken_sql_is_read_to_its_end() {
        for code in [
            "DROP TABLE",
            "DROP",
            "'",
            "\"",
            "/*",
            "$$",
            "DELETE",
            "UPDATE",
            "\\",
            ".",
            "COPY t TO",
            "$",
            "é'",
            "ALTER TABLE",
        ] {
            assert!(effects(&["psql", "-c", code]).len() <= 1, "{code}");
            assert!(effects(&["sqlite3", ":memory:", code]).len() <= 1, "{code}");
        }
    }
}
