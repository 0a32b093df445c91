//! Databases: clients that carry SQL, dumps and restores, servers.
//!
//! Actions of the kind `database` besides those of [`crate::tools::sql`]:
//! - `drop-database`, `create-database`, `drop-user`, `create-user`, `restore`, `restore-clean`
//! - `flush`: a whole store goes, `delete-keys`: some of it, `script`, `debug`
//! - `migrate`, `rollback`, `reset`: a framework changes the schema; a reset loses the data,
//!   `migrate-lossy` what does not fit
//! - `delete-queue`, `delete-topic`, `delete-index`, `delete-data`
//!
//! Others: `read/open`, `read/dump`, `overwrite/dump`, `service/stop`, `overwrite/reset-log`.

mod clients;
mod frameworks;
mod stores;

use crate::call::Programs;
pub(super) use frameworks::TOOLS as FRAMEWORKS;
pub(super) use stores::TOOLS as STORES;

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
    ("presto", clients::clickhouse),
    ("trino", clients::clickhouse),
    ("sqlcmd", clients::sqlcmd),
    ("cqlsh", clients::cqlsh),
    ("snowsql", clients::snowsql),
    ("snow", clients::snowsql),
    ("usql", clients::psql),
    ("cockroach", clients::cockroach),
    // Statements typed where a command should stand.
    ("drop", clients::bare),
    ("delete", clients::bare),
    ("update", clients::bare),
    ("TRUNCATE", clients::bare),
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
    ("kafka-topics", stores::kafka),
    ("kafka-topics.sh", stores::kafka),
    ("kafka-consumer-groups", stores::kafka),
    ("kafka-consumer-groups.sh", stores::kafka),
    ("kafka-delete-records", stores::kafka),
    ("kafka-delete-records.sh", stores::kafka),
    ("sqlplus", clients::sqlplus),
    ("hive", clients::cqlsh),
    ("beeline", clients::cqlsh),
    ("spark-sql", clients::cqlsh),
    ("impala-shell", clients::clickhouse),
    ("db2", clients::statements),
    ("isql", clients::cqlsh),
    ("hdfs", stores::hadoop),
    ("hadoop", stores::hadoop),
    ("hbase", stores::hbase),
    ("kafka-configs", stores::kafka),
    ("kafka-configs.sh", stores::kafka),
    ("cypher-shell", clients::cypher),
];
