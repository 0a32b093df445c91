//! Guard against data loss in databases, stores and queues.

use tenter_shell::Act;
use tenter_shell::{Effect, Field, Kind, Ran, Role, Target};

use super::infrastructure::{has_word, is_of_trial};
use super::rows::{Row, by_row, row, tell};
use crate::finding::Found;
use crate::guard::{Check, Guard};
use crate::level::Weight;
use crate::places::Zone;
use crate::sample::Sample;
use crate::scene::Scene;

const PRODUCTION: Check = Check {
    id: "production",
    weight: Weight::Grave,
    title: "drops or empties data of a production database",
    instead: "look at it with a query, and let the user change it",
    safe: &["psql -c 'SELECT count(*) FROM users'"],
};

const DROP: Check = Check {
    id: "drop",
    weight: Weight::Doubtful,
    title: "drops a database, schema, table or column with its data",
    instead: "back up the data first",
    safe: &["pg_dump --table users shop > users.sql", "psql -c '\\d users'"],
};

const EMPTY: Check = Check {
    id: "all-rows",
    weight: Weight::Doubtful,
    title: "deletes or changes all rows of a table",
    instead: "add a condition that selects the rows you mean",
    safe: &[
        "psql -c 'SELECT count(*) FROM users WHERE id = 7'",
        "psql -c 'DELETE FROM users WHERE id = 7'",
    ],
};

const FLUSH: Check = Check {
    id: "flush",
    weight: Weight::Doubtful,
    title: "empties a whole store, queue, topic or index",
    instead: "delete single keys or messages by name",
    safe: &["redis-cli del session:7", "redis-cli dbsize"],
};

const RESET: Check = Check {
    id: "reset",
    weight: Weight::Doubtful,
    title: "drops and recreates the database",
    instead: "apply the pending migrations without a reset",
    safe: &["npx prisma migrate deploy", "bin/rails db:migrate", "alembic upgrade head"],
};

const RESTORE: Check = Check {
    id: "restore-over",
    weight: Weight::Doubtful,
    title: "drops existing data before restoring a backup",
    instead: "restore into a new, empty database",
    safe: &["createdb shop_copy && pg_restore -d shop_copy dump.bin"],
};

const SERVER: Check = Check {
    id: "server",
    weight: Weight::Doubtful,
    title: "stops or reconfigures the server, or deletes its logs or users",
    instead: "",
    safe: &[],
};

const FILE: Check = Check {
    id: "database-file",
    weight: Weight::Doubtful,
    title: "deletes a database file",
    instead: "rename it, so that it can be restored",
    safe: &["cp app.sqlite3 app.sqlite3.bak"],
};

const SCHEMA: Check = Check {
    id: "schema",
    weight: Weight::Minor,
    title: "drops indexes, views or functions, changes rights, or undoes a migration",
    instead: "",
    safe: &[],
};

const ROWS: &[Row] = &[
    (Act::DropDatabase, &DROP, "drops a database"),
    (Act::DropSchema, &DROP, "drops a schema and its tables"),
    (Act::DropTable, &DROP, "drops a table"),
    (Act::DropColumn, &DROP, "drops a column"),
    (Act::DeleteBackup, &DROP, "deletes a backup"),
    (Act::Truncate, &EMPTY, "empties a table"),
    (Act::DeleteAll, &EMPTY, "deletes all rows of a table"),
    (Act::UpdateAll, &EMPTY, "changes all rows of a table"),
    (Act::Flush, &FLUSH, "empties a store"),
    (Act::DeleteQueue, &FLUSH, "empties or deletes a queue"),
    (Act::DeleteTopic, &FLUSH, "deletes a topic"),
    (Act::DeleteData, &FLUSH, "deletes data"),
    (Act::Reset, &RESET, "drops and recreates the database"),
    (Act::MigrateLossy, &RESET, "changes the schema and drops data that does not fit"),
    (Act::RestoreClean, &RESTORE, "drops existing data before restoring"),
    (Act::DropUser, &SERVER, "drops a user"),
    (Act::Shutdown, &SERVER, "stops the server"),
    (Act::Terminate, &SERVER, "terminates connections"),
    (Act::DeleteLogs, &SERVER, "deletes logs needed for recovery"),
    (Act::Configure, &SERVER, "reconfigures the server"),
    (Act::Debug, &SERVER, "runs a debugging command on the server"),
    (Act::DropView, &SCHEMA, "drops a view"),
    (Act::DropIndex, &SCHEMA, "drops an index"),
    (Act::DropObject, &SCHEMA, "drops a schema object"),
    (Act::Rollback, &SCHEMA, "undoes a migration"),
    (Act::Restore, &SCHEMA, "restores data"),
    (Act::DeleteKeys, &SCHEMA, "deletes keys"),
    (Act::Grant, &SCHEMA, "grants rights"),
    (Act::Revoke, &SCHEMA, "revokes rights"),
    (Act::CreateUser, &SCHEMA, "creates a user"),
    (Act::Script, &SCHEMA, "runs a script on the server"),
];

pub(super) static GUARD: Guard = Guard {
    id: "databases",
    title: "Loss of data in databases",
    page: "\
Reads the SQL that clients carry (`psql -c`, `mysql -e`, `sqlite3 file '...'`, here-documents, files that \
can be seen) and the commands of Redis, MongoDB, Elasticsearch, message queues and frameworks. It asks when \
databases, schemas, tables or columns are dropped, when `DELETE` or `UPDATE` has no condition or one that \
is always true, on `TRUNCATE`, `FLUSHALL`, `dropDatabase()`, `prisma migrate reset`, `rails db:drop`, \
`manage.py flush`, on restores that drop first, when backups are deleted (`restic forget`, `borg prune`), and \
when a SQLite file is deleted. Where a name says that it is production, what drops or empties is denied.

Passes: queries, `EXPLAIN`, `CREATE`, `INSERT`, `ALTER ... ADD`, changes with a condition, dumps, \
migrations, temporary tables, and statements that only stand in strings, comments or files of text. \
Dropping indexes and views and undoing one migration are only recorded.

Option: `allow` lets databases or tables pass by name, such as `test_*`.",
    checks: &[PRODUCTION, DROP, EMPTY, FLUSH, RESET, RESTORE, SERVER, FILE, SCHEMA],
    options: &[],
    optional: false,
    blocks: &[
        (Sample::Shell("dropdb -h db.shop.example shop_production"), "production"),
        (Sample::Shell("psql -h prod-db.shop.example shop -c 'TRUNCATE orders'"), "production"),
        (Sample::Shell("RAILS_ENV=production bin/rails db:drop"), "production"),
        (Sample::Shell("psql -d shop -c 'DROP TABLE users'"), "drop"),
        (Sample::Shell("dropdb shop_prod_copy"), "drop"),
        (Sample::Shell("mysql -u root -e \"drop database shop\""), "drop"),
        (Sample::Shell("echo 'DROP SCHEMA public CASCADE;' | psql shop"), "drop"),
        (Sample::Shell("dropdb shop"), "drop"),
        (Sample::Shell("restic -r /srv/backup forget --prune 4f2a"), "drop"),
        (Sample::Shell("mysqladmin -f drop shop"), "drop"),
        (Sample::Shell("mongosh shop --eval 'db.dropDatabase()'"), "drop"),
        (Sample::Shell("bin/rails db:drop"), "drop"),
        (Sample::Shell("docker exec db psql -U me -c 'drop table users'"), "drop"),
        (Sample::Shell("python -c \"conn.execute('DROP TABLE users')\""), "drop"),
        (Sample::Shell("sqlite3 app.db 'DELETE FROM orders'"), "all-rows"),
        (Sample::Shell("psql -c 'DELETE FROM orders WHERE 1=1'"), "all-rows"),
        (Sample::Shell("psql -c 'UPDATE users SET admin = true'"), "all-rows"),
        (Sample::Shell("mysql shop -e 'TRUNCATE TABLE logs'"), "all-rows"),
        (Sample::Shell("redis-cli -h cache FLUSHALL"), "flush"),
        (Sample::Shell("kafka-topics.sh --bootstrap-server k:9092 --delete --topic t"), "flush"),
        (Sample::Shell("curl -X DELETE http://localhost:9200/products"), "flush"),
        (Sample::Shell("npx prisma migrate reset --force"), "reset"),
        (Sample::Shell("php artisan migrate:fresh --seed"), "reset"),
        (Sample::Shell("python manage.py flush --no-input"), "reset"),
        (Sample::Shell("alembic downgrade base"), "reset"),
        (Sample::Shell("pg_restore --clean -d shop dump.bin"), "restore-over"),
        (Sample::Shell("redis-cli config set dir /var/www"), "server"),
        (Sample::Shell("rm db.sqlite3"), "database-file"),
        (Sample::Delete("data/app.sqlite"), "database-file"),
        (Sample::Shell("docker exec db rm -rf /var/lib/postgresql/data"), "database-file"),
        (Sample::Shell("psql -c 'DROP INDEX users_email'"), "schema"),
    ],
    passes: &[
        Sample::Shell("psql -c 'SELECT * FROM users LIMIT 5'"),
        Sample::Shell("psql -c \"SELECT 'DROP TABLE users'\""),
        Sample::Shell("psql -c 'EXPLAIN DELETE FROM users'"),
        Sample::Shell("psql -c 'DELETE FROM sessions WHERE expires < now()'"),
        Sample::Shell("mysql -e 'UPDATE users SET name = \"x\" WHERE id = 7'"),
        Sample::Shell("sqlite3 app.db 'CREATE TABLE IF NOT EXISTS t (id int)'"),
        Sample::Shell("psql -c 'ALTER TABLE users ADD COLUMN age int'"),
        Sample::Shell("sqlite3 :memory: 'create table t(a); drop table t'"),
        Sample::Shell("psql -f migrations/0007_add_age.sql"),
        Sample::Shell("createdb shop_test"),
        Sample::Shell("pg_dump shop > shop.sql"),
        Sample::Shell("redis-cli get session:7"),
        Sample::Shell("redis-cli keys '*'"),
        Sample::Shell("mongosh --eval 'db.users.find({})'"),
        Sample::Shell("bin/rails db:migrate"),
        Sample::Shell("npx prisma generate && npx prisma migrate dev"),
        Sample::Shell("python manage.py migrate"),
        Sample::Shell("alembic downgrade -1"),
        Sample::Shell("RAILS_ENV=test bin/rails db:drop db:create"),
        Sample::Shell("rails db:drop RAILS_ENV=test"),
        Sample::Shell("dropdb --if-exists shop_test && createdb shop_test"),
        Sample::Shell("psql -d shop_test -c 'TRUNCATE orders'"),
        Sample::Shell("php artisan migrate:fresh --env=testing"),
        Sample::Shell("gunzip -c seed.sql.gz | psql shop_dev"),
        Sample::Shell("rm test.db /tmp/scratch.sqlite3"),
        Sample::Shell("git commit -m 'drop table users'"),
        Sample::Shell("grep -rn 'DROP TABLE' migrations"),
        Sample::Write("migrations/9.sql", "DROP TABLE old_users;\n"),
    ],
    look,
};

fn look(scene: &Scene<'_>, found: &mut Found<'_>) {
    for effect in scene.effects() {
        match effect.kind {
            Kind::Database => database(scene, found, effect),
            Kind::Delete => file(scene, found, effect),
            Kind::Send => request(found, effect),
            Kind::Overwrite if effect.action == Act::ResetLog => {
                tell(found, effect, &SERVER, "resets the log needed for recovery");
            }
            _ => {}
        }
    }
}

fn database(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    let in_memory = |ran: &Ran| ran.argv.iter().any(|field| field.is(":memory:"));
    if scene.program(effect).is_some_and(in_memory) {
        return;
    }
    // Test databases may be dropped.
    if matches!(effect.action, Act::DropDatabase | Act::Reset) && is_for_tests(scene, effect)
        || is_test_database(scene, effect)
    {
        tell(found, effect, &SCHEMA, "recreates the test database");
        return;
    }
    // Deleting many keys counts as deleting a store.
    if effect.action == Act::DeleteKeys && effect.recursive {
        if lists_test_keys(scene) {
            tell(found, effect, &SCHEMA, "deletes the keys of tests");
            return;
        }
        tell(found, effect, &FLUSH, "deletes many keys");
        return;
    }
    if EMPTIED.contains(&effect.action)
        && is_production(scene, effect)
        && let Some((_, what)) = row(ROWS, effect.action)
    {
        tell(found, effect, &PRODUCTION, what);
        return;
    }
    by_row(found, effect, ROWS);
}

/// Whether a database, its server or the environment is named production. Files do not count, since a dump of
/// production may be read into any database, and neither do copies and servers on this machine.
fn is_production(scene: &Scene<'_>, effect: &Effect) -> bool {
    const COPIES: &[&str] = &["clone", "copy", "localhost", "restored"];
    let Some(ran) = scene.program(effect) else { return false };
    let is_file = |text: &str| {
        !text.contains("://")
            && (text.contains('/')
                || text.rsplit_once('.').is_some_and(|(_, end)| FILES.contains(&end)))
    };
    let values = ran.assignments.iter().map(|(_, value)| value).chain(ran.argv.iter().skip(1));
    let names = |words: &[&str]| {
        // `$PROD_DATABASE_URL` says it by the name of the variable.
        let text = |field: &Field| {
            if field.has_unknown() { field.shown() } else { field.prefix().to_owned() }
        };
        let named = |field: &Field| !is_file(&text(field)) && has_word(&text(field), words);
        has_word(&effect.target.shown(), words) || values.clone().any(named)
    };
    names(&["prod", "production"]) && !names(COPIES) && !is_of_trial(scene, effect)
}

/// Extensions of dumps, scripts and database files.
const FILES: &[&str] = &[
    "bak", "bson", "bz2", "csv", "db", "dump", "gz", "json", "rdb", "sql", "sqlite", "tar", "xz",
    "zst",
];

/// Actions after which only a backup helps.
const EMPTIED: &[Act] = &[
    Act::DropDatabase,
    Act::DropSchema,
    Act::DropTable,
    Act::DeleteBackup,
    Act::Truncate,
    Act::DeleteAll,
    Act::Flush,
    Act::DeleteData,
    Act::Reset,
    Act::RestoreClean,
];

/// Whether a framework is run in its test environment.
fn is_for_tests(scene: &Scene<'_>, effect: &Effect) -> bool {
    let is_test = |value: &str| matches!(value, "test" | "testing");
    scene.program(effect).is_some_and(|ran| {
        let option = |field: &Field| {
            let text = field.exact().unwrap_or_default();
            text.strip_prefix("--env=").or(text.strip_prefix("--environment=")).is_some_and(is_test)
        };
        let variable = |(name, value): &(String, Field)| {
            name.ends_with("_ENV") && value.exact().is_some_and(is_test)
        };
        // `rake` also accepts variables after the task.
        let given = |field: &Field| {
            let text = field.exact().unwrap_or_default();
            text.split_once("_ENV=").is_some_and(|(_, value)| is_test(value))
        };
        ran.assignments.iter().any(variable)
            || ran.argv.iter().any(|field| option(field) || given(field))
    })
}

/// Whether the database has the usual name of a test database: `shop_test`, alone or in an URL.
fn is_test_database(scene: &Scene<'_>, effect: &Effect) -> bool {
    let named = |text: &str| {
        let name = text.split('?').next().unwrap_or_default();
        // `shop_test_$$`, `test_$RANDOM`: created for one run.
        let name = match name.split_once('$') {
            Some((start, _)) if start.starts_with("test_") => "shop_test",
            Some((start, _)) => start.trim_end_matches('_'),
            None => name,
        };
        name.len() > 5 && name.ends_with("_test") && !name.contains(char::is_whitespace)
    };
    if effect.action == Act::DropDatabase && !effect.target.shown().is_empty() {
        return named(&effect.target.shown());
    }
    let field = |field: &Field| field.exact().is_some_and(named);
    scene.program(effect).is_some_and(|ran| {
        ran.argv.iter().skip(1).any(field) || ran.assignments.iter().any(|(_, value)| field(value))
    })
}

/// Data folders of database servers.
const FOLDERS: &[&str] = &[
    "/var/lib/postgresql",
    "/var/lib/pgsql",
    "/var/lib/mysql",
    "/var/lib/mariadb",
    "/var/lib/mongo",
    "/var/lib/redis",
    "/var/lib/elasticsearch",
    "/var/lib/clickhouse",
    "/var/lib/cassandra",
    "/var/lib/influxdb",
    "/var/lib/neo4j",
    "/data/db",
    "/usr/local/var/postgres",
    "/opt/homebrew/var/postgres",
];

/// Default ports of stores with an HTTP interface: Elasticsearch, Couch, Qdrant, Solr, Influx, Meilisearch
/// and Arango.
const PORTS: &[&str] = &["9200", "5984", "6333", "8983", "8086", "7700", "8529"];

/// Checks HTTP requests that delete from a store.
fn request(found: &mut Found<'_>, effect: &Effect) {
    let Target::Host(url) = &effect.target else { return };
    let rest = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
    let host = rest.split('/').next().unwrap_or_default();
    let port = host.rsplit_once(':').is_some_and(|(_, port)| PORTS.contains(&port));
    if (effect.action == Act::HttpDelete && port) || rest.contains("/_delete_by_query") {
        let production = has_word(host, &["prod", "production"]);
        let check = if production { &PRODUCTION } else { &FLUSH };
        tell(found, effect, check, "deletes the files of a store");
    }
}

const ENDINGS: &[&str] =
    &["sqlite", "sqlite3", "db", "db3", "mdb", "duckdb", "realm", "rdb", "ibd", "mdf", "accdb"];

/// Checks deletion of database files.
fn file(scene: &Scene<'_>, found: &mut Found<'_>, effect: &Effect) {
    let Target::Path(path) = &effect.target else { return };
    let shown = path.shown();
    if FOLDERS.iter().any(|folder| shown.starts_with(folder)) {
        tell(found, effect, &FILE, "deletes a database server's files");
        return;
    }
    let name = shown.rsplit('/').next().unwrap_or_default();
    let Some((stem, ending)) = name.rsplit_once('.') else { return };
    let spared = stem.is_empty() || is_throwaway(stem) || is_made_anew(scene, name, stem);
    if !ENDINGS.contains(&ending) || spared {
        return;
    }
    if !matches!(scene.places.zone(path), Zone::Generated | Zone::Temporary) {
        tell(found, effect, &FILE, "deletes a database file");
    }
}

/// `redis-cli --scan --pattern 'test:*' | xargs redis-cli del`: every listing is one of keys of tests.
fn lists_test_keys(scene: &Scene<'_>) -> bool {
    let is_listing = |ran: &&Ran| {
        ran.is(Role::DatabaseClient)
            && ran.argv.iter().any(|field| field.is("--scan") || field.is("keys"))
    };
    let of_tests = |ran: &Ran| {
        let remote = ran.argv.iter().any(|field| field.is("-h") || field.is("-u"));
        !remote
            && ran.argv.iter().any(|field| {
                let start =
                    field.shown().split([':', '_', '-', '.']).next().unwrap_or_default().to_owned();
                field.shown().ends_with('*')
                    && matches!(&*start, "test" | "tests" | "tmp" | "temp" | "ci" | "e2e")
            })
    };
    let mut listings = scene.analysis.commands.iter().filter(is_listing).peekable();
    listings.peek().is_some() && listings.all(of_tests)
}

/// Whether the same command makes a development database anew: `rm dev.db && sqlite3 dev.db < schema.sql`.
fn is_made_anew(scene: &Scene<'_>, name: &str, stem: &str) -> bool {
    let makes = |ran: &Ran| {
        ran.is(Role::DatabaseClient)
            && ran.argv.iter().skip(1).any(|field| field.prefix().rsplit('/').next() == Some(name))
    };
    has_word(stem, &["dev", "development", "local"]) && scene.analysis.commands.iter().any(makes)
}

/// Whether the file name is that of a temporary database.
fn is_throwaway(stem: &str) -> bool {
    let lower = stem.to_ascii_lowercase();
    ["test", "tmp", "temp", "cache", "scratch", "example", "demo", "thumbs", "journal"]
        .iter()
        .any(|word| lower.contains(word))
}
