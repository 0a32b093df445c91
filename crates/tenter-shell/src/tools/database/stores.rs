//! Stores and queues that speak no SQL.

use crate::act::Act;
use crate::call::Call;
use crate::effect::{Certainty, Kind};
use crate::options::{Order, Spec, parse};
use crate::target::Target;
use crate::tools::table::{Cli, Tool, by_lines, is_harmless, on};
use crate::value::Field;

/// `redis-cli [options] COMMAND arguments`; commands may also come through standard input.
pub(super) fn redis(call: &mut Call<'_, '_>) {
    const REDIS: Spec = Spec::first(
        "h:p:a:n:u:r:i:d:D:s:",
        "user= pass= eval= pattern= cacert= cert= key= rdb= functions-rdb= sni= \
         pipe-timeout=",
    );
    let options = call.options(&REDIS);
    if options.has(&["help", "version", "v"]) {
        return;
    }
    if let Some(script) = options.value(&["eval"]) {
        call.read(Act::Import, script);
        call.effect_at(Kind::Database, Act::Script, Call::named(script), script.span);
        return;
    }
    if let Some(file) = options.value(&["rdb"]) {
        let source = crate::Source::Store("redis".into());
        call.write(Kind::Overwrite, Act::Dump, file, crate::flow::Stream::from(source));
    }
    if let Some((command, arguments)) = options.operands.split_first() {
        redis_command(call, command, arguments);
        return;
    }
    let Some(text) = call.stdin.text.clone() else { return };
    let span = call.span;
    for line in text.lines().take(256) {
        let words: Vec<Field> =
            line.split_whitespace().map(|word| Field::text(word, span)).collect();
        let words: Vec<&Field> = words.iter().collect();
        if let Some((command, arguments)) = words.split_first() {
            redis_command(call, command, arguments);
        }
    }
}

fn redis_command(call: &mut Call<'_, '_>, command: &Field, arguments: &[&Field]) {
    let word = |at: usize| {
        arguments.get(at).and_then(|field| field.exact()).unwrap_or_default().to_ascii_lowercase()
    };
    let name = command.exact().unwrap_or_default().to_ascii_lowercase();
    // The words may be one argument.
    if let Some((_, rest)) = name.split_once(' ') {
        let fields: Vec<Field> =
            std::iter::once(name.as_str().split(' ').next().unwrap_or_default())
                .chain(rest.split_whitespace())
                .map(|word| Field::text(word, command.span))
                .collect();
        let fields: Vec<&Field> = fields.iter().collect();
        if let Some((first, rest)) = fields.split_first() {
            redis_command(call, first, rest);
        }
        return;
    }
    let action = match name.as_str() {
        "flushall" | "flushdb" | "swapdb" => Act::Flush,
        "del" | "unlink" | "hdel" | "expire" | "pexpire" | "ltrim" | "xtrim" | "rename"
        | "spop" | "srem" => Act::DeleteKeys,
        "config" if matches!(word(0).as_str(), "set" | "rewrite") => Act::Configure,
        "replicaof" | "slaveof" | "failover" | "acl"
            if !matches!(word(0).as_str(), "list" | "whoami" | "getuser" | "cat") =>
        {
            Act::Configure
        }
        "debug" if !matches!(word(0).as_str(), "object") => Act::Debug,
        "shutdown" => Act::Shutdown,
        "eval" if word(0).contains("flush") => Act::Flush,
        "eval" | "evalsha" | "fcall" => Act::Script,
        "script" | "function" if matches!(word(0).as_str(), "flush" | "kill" | "delete") => {
            Act::Flush
        }
        "cluster" if matches!(word(0).as_str(), "reset" | "forget" | "flushslots" | "failover") => {
            Act::Configure
        }
        "client" if word(0) == "kill" => Act::Terminate,
        "set" | "hset" | "mset" | "lpush" | "rpush" | "sadd" | "zadd" | "restore" | "migrate"
        | "setex" => Act::Insert,
        "module" if word(0) == "load" => Act::Configure,
        _ => return,
    };
    let named = matches!(action, Act::DeleteKeys);
    if named && !arguments.is_empty() {
        for key in arguments.iter().take(if matches!(name.as_str(), "del" | "unlink") {
            usize::MAX
        } else {
            1
        }) {
            on(call, Kind::Database, action, key, false).flags(false, false);
        }
        return;
    }
    let target = match action {
        Act::Insert | Act::Configure => {
            Target::Name(arguments.first().map_or_else(String::new, |field| field.shown()))
        }
        _ => Target::None,
    };
    call.effect_at(Kind::Database, action, target, command.span).recursive =
        action == Act::Flush && name == "flushall";
}

/// `mongosh --eval 'code'`, or code through standard input, or a script.
pub(super) fn mongo(call: &mut Call<'_, '_>) {
    const MONGO: Spec = Spec::new(
        "u:p:f:",
        "eval= file= host= port= username= password= authenticationDatabase= apiVersion= \
         db=",
    );
    let options = call.options(&MONGO);
    if is_harmless(&options, &["version"]) {
        return;
    }
    for code in options.values(&["eval"]) {
        mongo_code(call, &code.shown(), code);
    }
    for file in options
        .operands
        .iter()
        .filter(|field| field.suffix().rsplit('.').next() == Some("js"))
        .copied()
        .chain(options.values(&["f", "file"]))
    {
        let content = call.read(Act::Import, file);
        if let Some(text) = content.text {
            mongo_code(call, &text, file);
        }
    }
    if !options.has(&["eval", "f", "file"])
        && let Some(text) = call.stdin.text.clone()
    {
        let whole = Field::text("", call.span);
        mongo_code(call, &text, &whole);
    }
}

/// Method calls in the code, with what stands between their parentheses.
fn mongo_code(call: &mut Call<'_, '_>, code: &str, said_by: &Field) {
    let plain = without_strings(code);
    let mut at = 0;
    while let Some(found) = plain.get(at..).and_then(|rest| rest.find('.')) {
        let start = at + found + 1;
        at = start;
        let rest = plain.get(start..).unwrap_or_default();
        let size =
            rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
        let name = rest.get(..size).unwrap_or_default();
        let after = rest.get(size..).unwrap_or_default().trim_start();
        // Without quotes the shell takes the parentheses away: `mongosh --eval db.users.drop()`.
        let cut = after.is_empty() && matches!(name, "drop" | "dropDatabase");
        let Some(arguments) = after.strip_prefix('(').or(cut.then_some(")")) else { continue };
        let empty = arguments.trim_start().starts_with(')')
            || arguments
                .trim_start()
                .strip_prefix('{')
                .is_some_and(|rest| rest.trim_start().starts_with('}'));
        let action = match name {
            "dropDatabase" => Act::DropDatabase,
            "drop" => Act::DropTable,
            "dropIndex" | "dropIndexes" => Act::DropIndex,
            "dropUser" | "dropRole" | "dropAllUsersFromDatabase" => Act::DropUser,
            "deleteMany" | "remove" if empty => Act::DeleteAll,
            "deleteMany" | "deleteOne" | "remove" | "findOneAndDelete" => Act::DeleteRows,
            "updateMany" if empty => Act::UpdateAll,
            "updateMany" | "updateOne" | "replaceOne" | "findOneAndUpdate" => Act::UpdateRows,
            "insertOne" | "insertMany" | "insert" | "bulkWrite" | "save" => Act::Insert,
            "renameCollection" => Act::Alter,
            "createUser" | "grantRolesToUser" | "updateUser" => Act::Grant,
            "shutdownServer" => Act::Shutdown,
            "runCommand" | "adminCommand" => match order(arguments) {
                Some(action) => action,
                None => continue,
            },
            _ => continue,
        };
        let before = plain.get(..start - 1).unwrap_or_default();
        let from = before
            .rfind(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '$' | '-')))
            .map_or(0, |at| at + 1);
        let owner = before.get(from..).unwrap_or_default();
        let owner = owner.strip_prefix("db.").unwrap_or(owner);
        let target = if owner == "db" { Target::None } else { Target::name(owner) };
        let effect = call.effect_at(Kind::Database, action, target, said_by.span);
        if cut {
            effect.certainty = effect.certainty.min(Certainty::Possible);
        }
    }
}

/// The operation of a command given as an object: its first key.
fn order(arguments: &str) -> Option<Act> {
    let rest = arguments.trim_start().strip_prefix('{')?.trim_start();
    let word = rest.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
    Some(match word {
        "dropDatabase" => Act::DropDatabase,
        "drop" => Act::DropTable,
        "dropUser" | "dropAllUsersFromDatabase" => Act::DropUser,
        "shutdown" => Act::Shutdown,
        _ => return None,
    })
}

/// The code with strings and comments blanked, of the same length.
fn without_strings(code: &str) -> String {
    let mut plain = String::with_capacity(code.len());
    let mut quote = None;
    let mut characters = code.chars().peekable();
    let blank = |plain: &mut String, c: char| (0..c.len_utf8()).for_each(|_| plain.push(' '));
    while let Some(c) = characters.next() {
        match quote {
            Some(open) => {
                blank(&mut plain, c);
                if c == '\\'
                    && let Some(next) = characters.next()
                {
                    blank(&mut plain, next);
                } else if c == open {
                    quote = None;
                }
            }
            None if matches!(c, '\'' | '"' | '`') => {
                quote = Some(c);
                // Something stands here: an argument that is a string is not empty.
                plain.push('_');
            }
            None if c == '/' && characters.peek() == Some(&'/') => quote = Some('\n'),
            None if c.is_ascii() => plain.push(c),
            None => blank(&mut plain, c),
        }
    }
    plain
}

const TABLE: Cli = Cli {
    spec: Spec::new(
        "p:n:t:o:b:s:H:u:",
        "vhost= node= bucket= start= stop= predicate= org= token= host= id= name= \
         server= context= creds= brokers= user= password= port= username=",
    ),
    kind: Kind::Database,
    harmless: &["h", "dry-run"],
    force: &["f", "force", "no-confirm"],
    recursive: &["all"],
    rules: "",
};

/// Effects of each tool on its store.
pub(in crate::tools) const TOOLS: &[Tool] = &[
    TABLE
        .tool(
            "influx",
            "\
delete: delete-data --bucket|b
bucket delete: drop-database --id|name|n
org|user|auth|task delete|remove: delete-data --id|name|n
restore: restore path1
write: insert --bucket|b",
        )
        .by(influx),
    TABLE.tool(
        "edgedb|gel",
        "\
database|branch drop|wipe: drop-database *
instance destroy: drop-database * --I|instance",
    ),
    TABLE.tool(
        "neo4j-admin",
        "\
database delete|drop: drop-database *
database load|restore: restore-clean *",
    ),
    TABLE.tool(
        "rabbitmqctl|rabbitmqadmin",
        "\
reset|force_reset: reset +r
delete_queue|purge_queue: delete-queue *
delete_vhost: drop-database *
delete_user: drop-user *
delete queue|exchange|binding|vhost|user|policy: delete-queue *
purge queue: delete-queue *
clear_*|set_permissions|set_user_tags|change_password|add_user: grant *
stop|stop_app|shutdown|close_all_connections: shutdown
forget_cluster_node: configure *",
    ),
    TABLE.tool(
        "nats",
        "\
stream|str|s rm|delete|del|purge: delete-queue *
consumer|con|c rm|delete|del: delete-queue *
kv del|delete|purge|rm: delete-data *
object|obj del|rm|delete: delete-data *
stream restore: restore *
context rm: configure *",
    ),
    TABLE.tool(
        "rpk",
        "\
topic delete: delete-topic *
topic trim-prefix: delete-data *
group delete|offset-delete: delete-data *
cluster config: configure *
acl create|delete: grant
acl user delete: drop-user *
redpanda stop: shutdown",
    ),
];

/// The first version of influx carries statements.
fn influx(call: &mut Call<'_, '_>, tool: &Tool) {
    let statements = call.options(&Spec::one_dash("execute= database= host= port= format="));
    match statements.value(&["execute"]) {
        Some(code) => crate::tools::sql::field(call, code),
        None => by_lines(call, tool),
    }
}

/// `hdfs dfs -rm -r /data`: the words of a shell with a dash before each.
pub(super) fn hadoop(call: &mut Call<'_, '_>) {
    let options = call.options(&Spec::one_dash("f D= conf="));
    match options.operand(0) {
        Some("dfs" | "fs") if options.has(&["rm", "rmr", "expunge"]) => {
            let all = options.has(&["r", "R", "rmr"]);
            let force = options.has(&["skipTrash"]);
            for path in options.operands.iter().skip(1) {
                on(call, Kind::Database, Act::DeleteData, path, false).flags(all, force);
            }
        }
        Some("namenode") if options.has(&["format"]) => {
            call.effect(Kind::Database, Act::DropDatabase, Target::None).recursive = true;
        }
        _ => {}
    }
}

/// `echo "drop 't'" | hbase shell`
pub(super) fn hbase(call: &mut Call<'_, '_>) {
    let Some(text) = call.stdin.text.clone() else { return };
    for order in text.split(['\n', ';']) {
        let mut words = order.split([' ', ',']).filter(|word| !word.is_empty());
        let action = match words.next() {
            Some("drop" | "drop_all" | "drop_namespace") => Act::DropTable,
            Some("truncate" | "truncate_preserve") => Act::Truncate,
            Some("deleteall") => Act::DeleteData,
            _ => continue,
        };
        let name = words.next().unwrap_or_default().trim_matches(['\'', '"']);
        call.effect(Kind::Database, action, Target::name(name));
    }
}

pub(super) fn kafka(call: &mut Call<'_, '_>) {
    const KAFKA: Spec = Spec {
        short: "",
        long: "bootstrap-server= zookeeper= topic= group= command-config= partitions= \
             config= to-offset= offset-json-file= replication-factor= add-config=",
        order: Order::Anywhere,
    };
    let options = parse(call.arguments(), &KAFKA);
    let action = if options.has(&["delete", "delete-offsets"]) {
        if call.name.contains("topics") { Act::DeleteTopic } else { Act::DeleteData }
    } else if options.has(&["offset-json-file"]) {
        Act::DeleteData
    } else if options.has(&["reset-offsets"]) && options.has(&["execute"]) {
        Act::Reset
    } else if options.value(&["add-config"]).is_some_and(is_short) {
        Act::DeleteData
    } else if options.has(&["alter"]) {
        Act::Alter
    } else {
        return;
    };
    let target = options.value(&["topic", "group"]).map_or(Target::None, Call::named);
    call.effect(Kind::Database, action, target);
}

/// Whether a topic is told to keep what it holds for less than a minute.
fn is_short(config: &Field) -> bool {
    let text = config.exact().unwrap_or_default();
    let kept = text.split(',').find_map(|one| one.trim().strip_prefix("retention.ms="));
    kept.and_then(|kept| kept.parse::<i64>().ok()).is_some_and(|kept| (0..60_000).contains(&kept))
}

#[cfg(test)]
mod tests {
    use crate::flow::Stream;
    use crate::run::testing::effects_with;
    use crate::tools::table::testing::check;

    #[test]
    fn redis_loses_keys_and_everything() {
        check(
            "
            redis-cli FLUSHALL => database flush  certain -r
            redis-cli -h 10.0.0.1 -p 6380 flushdb => database flush  certain
            redis-cli -n 2 del a b => database delete-keys a certain; database delete-keys b certain
            redis-cli 'DEL a' => database delete-keys a certain
            redis-cli config set dir /tmp => database configure set certain
            redis-cli config get dir =>
            redis-cli get flushall =>
            redis-cli -a flushall ping =>
            redis-cli shutdown nosave => database shutdown  certain
            valkey-cli keys * =>
            ",
        );
        assert_eq!(
            effects_with(&["redis-cli"], Stream::known("PING\nFLUSHDB\n")),
            ["database flush  certain"]
        );
    }

    #[test]
    fn mongo_code_is_read() {
        check(
            "
            mongosh shop --eval 'db.dropDatabase()' => database drop-database  certain
            mongo --eval 'db.users.drop()' => database drop-table users certain
            mongosh --eval 'db.users.deleteMany({})' => database delete-all users certain
            mongosh --eval 'db.users.deleteMany({ a: 1 })' => database delete-rows users certain
            mongosh --eval 'db.users.find({})' =>
            mongosh --eval 'print(\"db.users.drop()\")' =>
            mongosh --eval 'db.getCollection(\"x\").drop()' => database drop-table  certain
            mongosh --eval db.users.drop => database drop-table users possible
            mongosh --eval db.drop.find() =>
            mongosh --eval 'db.runCommand({ dropDatabase: 1 })' => database drop-database  certain
            mongosh --eval 'db.runCommand({ ping: 1 })' =>
            mongosh =>
            ",
        );
    }

    #[test]
    fn queues_go() {
        check(
            "
            kafka-topics.sh --bootstrap-server h:1 --delete --topic t => database delete-topic t certain
            kafka-topics --list =>
            rabbitmqctl -p v delete_queue q => database delete-queue q certain
            rabbitmqctl list_queues =>
            rabbitmqctl force_reset => database reset  certain -r
            influx delete --bucket b --start 0 => database delete-data b certain
            nats stream rm ORDERS -f => database delete-queue ORDERS certain -f
            nats stream ls =>
            ",
        );
    }
}
