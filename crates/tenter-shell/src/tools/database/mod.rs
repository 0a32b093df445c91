//! Databases: clients that carry SQL, dumps and restores, servers.
//!
//! Actions of the kind `database` besides those of [`crate::tools::sql`]:
//! - `drop-database`, `create-database`, `drop-user`, `create-user`, `restore`, `restore-clean`
//! - `flush`: a whole store goes, `delete-keys`: some of it, `script`, `debug`
//! - `migrate`, `rollback`, `reset`: a framework changes the schema; a reset loses the data
//! - `delete-queue`, `delete-topic`, `delete-index`, `delete-data`
//!
//! Others: `read/dump`, `overwrite/dump`, `service/stop`, `overwrite/reset-log`.

mod clients;
mod frameworks;
mod stores;

use crate::call::Programs;

pub(crate) use frameworks::framework;

pub(super) const PROGRAMS: Programs = &[
    ("psql", clients::psql),
    ("pgcli", clients::psql),
    ("mysql", clients::mysql),
    ("mariadb", clients::mysql),
    ("mycli", clients::mysql),
    ("sqlite3", clients::sqlite),
    ("sqlite", clients::sqlite),
    ("duckdb", clients::sqlite),
    ("litecli", clients::sqlite),
    ("clickhouse-client", clients::clickhouse),
    ("clickhouse", clients::clickhouse),
    ("sqlcmd", clients::sqlcmd),
    ("cqlsh", clients::cqlsh),
    ("snowsql", clients::snowsql),
    ("snow", clients::snowsql),
    ("usql", clients::psql),
    ("cockroach", clients::cockroach),
    ("dropdb", clients::dropdb),
    ("dropuser", clients::dropdb),
    ("createdb", clients::dropdb),
    ("createuser", clients::dropdb),
    ("pg_dump", clients::dump),
    ("pg_dumpall", clients::dump),
    ("mysqldump", clients::dump),
    ("mariadb-dump", clients::dump),
    ("mongodump", clients::dump),
    ("mongoexport", clients::dump),
    ("pg_restore", clients::restore),
    ("mongorestore", clients::restore),
    ("mongoimport", clients::restore),
    ("mysqladmin", clients::mysqladmin),
    ("mariadb-admin", clients::mysqladmin),
    ("pg_ctl", clients::server),
    ("pg_ctlcluster", clients::server),
    ("pg_dropcluster", clients::server),
    ("pg_resetwal", clients::server),
    ("redis-cli", stores::redis),
    ("valkey-cli", stores::redis),
    ("keydb-cli", stores::redis),
    ("mongosh", stores::mongo),
    ("mongo", stores::mongo),
    ("influx", stores::by_table),
    ("rabbitmqctl", stores::by_table),
    ("rabbitmqadmin", stores::by_table),
    ("kafka-topics", stores::kafka),
    ("kafka-topics.sh", stores::kafka),
    ("kafka-consumer-groups", stores::kafka),
    ("kafka-consumer-groups.sh", stores::kafka),
    ("kafka-delete-records.sh", stores::kafka),
    ("nats", stores::by_table),
    ("rpk", stores::by_table),
    ("prisma", frameworks::program),
    ("rails", frameworks::program),
    ("rake", frameworks::program),
    ("artisan", frameworks::program),
    ("manage.py", frameworks::program),
    ("django-admin", frameworks::program),
    ("sequelize", frameworks::program),
    ("sequelize-cli", frameworks::program),
    ("knex", frameworks::program),
    ("typeorm", frameworks::program),
    ("drizzle-kit", frameworks::program),
    ("alembic", frameworks::program),
    ("flask", frameworks::program),
    ("flyway", frameworks::program),
    ("liquibase", frameworks::program),
    ("sqlx", frameworks::program),
    ("diesel", frameworks::program),
    ("goose", frameworks::program),
    ("migrate", frameworks::program),
    ("dbmate", frameworks::program),
    ("mikro-orm", frameworks::program),
    ("ecto", frameworks::program),
    ("mix", frameworks::program),
    ("ef", frameworks::program),
    ("dotnet-ef", frameworks::program),
    ("symfony", frameworks::program),
    ("atlas", frameworks::program),
];
