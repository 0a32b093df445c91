//! Migrations and resets by the tools of frameworks.

use crate::act::Act;
use crate::call::Call;
use crate::effect::{Certainty, Kind};
use crate::options::Spec;
use crate::target::Target;
use crate::tools::table::{Cli, Tool};
use crate::value::Field;
use crate::world::Language;

const FRAMEWORK: Cli = Cli {
    spec: Spec::new(
        "c:d:p:e:n:x:f:",
        "schema= config= database= database-url= env= environment= path= url= dialect= \
         out= source= settings= pythonpath= step= to= migrations-dir= name= tag= port= \
         changelog-file= defaultsFile= directory= dir= dataSource= context= project= \
         startup-project= command= execute= down= all",
    ),
    kind: Kind::Database,
    harmless: &["h", "dry-run", "pretend", "sql", "plan", "noop"],
    force: &[
        "f",
        "force",
        "y",
        "yes",
        "no-input",
        "noinput",
        "accept-data-loss",
        "no-interaction",
        "skip-confirmation",
    ],
    recursive: &["all", "a"],
    rules: "",
};

/// Effects of each tool on a database.
pub(in crate::tools) const TOOLS: &[Tool] = &[
    FRAMEWORK
        .tool(
            "prisma",
            "\
migrate reset: reset
db push -force-reset: reset
db push -accept-data-loss: migrate-lossy
db push: migrate
db execute: script
db seed: insert
migrate deploy|dev|resolve: migrate",
        )
        .by(program),
    FRAMEWORK
        .tool(
            "rails|rake",
            "\
db drop: drop-database
db drop all: drop-database +r
db reset|purge: reset
db migrate reset: reset
db reset all: reset +r
db purge all: reset +r
db truncate_all: reset
db schema load: reset
db structure load: reset
db setup|prepare: migrate
db seed replant: reset
db seed: insert
db migrate|rollback|forward: migrate
db migrate down|redo|up: rollback
release: publish/publish",
        )
        .by(program),
    FRAMEWORK
        .tool(
            "artisan",
            "\
migrate fresh|reset|refresh: reset
db wipe: reset
db seed: insert
migrate rollback: rollback
migrate: migrate
schema dump: none
queue flush|clear|prune-batches: delete-queue
model prune: delete-data",
        )
        .by(program),
    FRAMEWORK
        .tool(
            "manage.py|django-admin",
            "\
flush|reset_db|sqlflush: reset
migrate * zero: reset 1
migrate: migrate *
loaddata: insert path*
remove_stale_contenttypes|clearsessions: delete-data
dumpdata: none",
        )
        .by(program),
    FRAMEWORK.tool(
        "sequelize|sequelize-cli",
        "\
db drop: drop-database
db migrate undo all: reset
db migrate undo: rollback
db migrate: migrate
db seed all|undo: insert",
    ),
    FRAMEWORK.tool(
        "knex",
        "\
migrate rollback -all|a: reset
migrate rollback|down: rollback
migrate latest|up: migrate
seed run: insert",
    ),
    FRAMEWORK.tool(
        "typeorm|typeorm-ts-node-commonjs|mikro-orm",
        "\
schema drop: reset
schema fresh: reset
schema sync|update: migrate
migration revert|down: rollback
migration fresh: reset
migration run|up: migrate
database drop: drop-database",
    ),
    FRAMEWORK.tool(
        "drizzle-kit",
        "\
drop: reset
push -force: migrate-lossy
push: migrate
migrate|up: migrate",
    ),
    FRAMEWORK.tool(
        "alembic",
        "\
downgrade base: reset
downgrade: rollback 1
upgrade: migrate 1
stamp: migrate 1",
    ),
    FRAMEWORK.tool(
        "flask",
        "\
db downgrade base: reset
db downgrade: rollback *
db upgrade: migrate",
    ),
    FRAMEWORK
        .one_dash()
        .tool(
            "flyway",
            "\
clean: reset
* clean: reset
migrate|baseline|repair: migrate
undo: rollback",
        )
        .by(program),
    FRAMEWORK.tool(
        "liquibase",
        "\
dropAll|drop-all: reset
rollback-count|rollback-to-date|rollbackCount|rollbackToDate: reset *
rollback*: rollback *
update*: migrate",
    ),
    FRAMEWORK.tool(
        "sqlx",
        "\
database|db drop: drop-database --database-url
database|db reset: reset --database-url
database|db create|setup: migrate
migrate|mig revert: rollback
migrate|mig run: migrate",
    ),
    FRAMEWORK.tool(
        "diesel",
        "\
database reset|drop: reset --database-url
database setup: migrate
migration revert -all|a: reset
migration revert|redo: rollback
migration run: migrate",
    ),
    FRAMEWORK.one_dash().tool(
        "goose",
        "\
reset: reset
* * reset: reset
* * down-to 0: reset
down-to 0: reset
* * down|down-to|redo: rollback
* * up|up-to|up-by-one: migrate
down|down-to|redo: rollback
up|up-to: migrate",
    ),
    FRAMEWORK.one_dash().tool(
        "migrate",
        "\
drop: reset
down -all: reset
down: rollback *
force: migrate *
up|goto: migrate *",
    ),
    FRAMEWORK.tool(
        "dbmate",
        "\
drop: drop-database
rollback|down: rollback
up|migrate|create|load: migrate",
    ),
    FRAMEWORK
        .tool(
            "mix|ecto",
            "\
ecto.drop: drop-database
ecto.reset: reset
ecto.rollback -all: reset
ecto.rollback: rollback
ecto.migrate|ecto.setup|ecto.create: migrate
drop: drop-database
reset: reset
hex.publish: publish/package
hex.retire: publish/unpublish *",
        )
        .by(program),
    FRAMEWORK.tool(
        "ef|dotnet-ef",
        "\
database drop: drop-database
database update 0: reset
database update: migrate *
migrations remove: rollback",
    ),
    FRAMEWORK.tool(
        "symfony|console",
        "\
console doctrine:database:drop: drop-database
console doctrine:schema:drop: reset
console doctrine:fixtures:load: reset
console doctrine:migrations:migrate: migrate
doctrine database drop: drop-database
doctrine schema drop: reset
doctrine fixtures load: reset
doctrine migrations migrate: migrate",
    ),
    FRAMEWORK.tool(
        "sea-orm-cli",
        "\
migrate fresh|reset|refresh: reset
migrate down: rollback
migrate up: migrate",
    ),
    FRAMEWORK.tool(
        "drush",
        "\
sql drop: reset
sql-drop: reset
site install: reset
updatedb|updb: migrate",
    ),
    FRAMEWORK.tool(
        "wp",
        "\
db reset|drop|clean: reset
db import: restore path1
db query: script
site empty|delete: reset
plugin|theme delete|uninstall: none",
    ),
    FRAMEWORK.tool(
        "hasura",
        "\
migrate apply -down=all: reset
metadata clear: reset
migrate apply -down: rollback
migrate apply: migrate
migrate delete: delete-data",
    ),
    FRAMEWORK.tool(
        "atlas",
        "\
clusters|projects|databases delete: drop-database *
schema clean: reset --url|u
schema apply -auto-approve: migrate-lossy --url|u
schema apply: migrate --url|u
migrate apply: migrate --url|u
migrate down: rollback --url|u",
    ),
];

/// Also reached by `php artisan`, `python manage.py` and runners such as `npx`.
fn program(call: &mut Call<'_, '_>, tool: &Tool) {
    let mut options = call.options(&tool.cli.spec);
    if call.name == "rails"
        && let Some("runner" | "r") = options.operand(0)
    {
        if let Some(code) = options.operands.get(1) {
            call.run_code(Language::Ruby, code);
            every_record(call, code);
        }
        return;
    }
    // Answers typed at the prompt.
    let typed = call.stdin.text.as_deref().map(|text| Field::text(text, call.span));
    let sql = matches!(
        (call.name, options.operand(0), options.operand(1)),
        ("manage.py" | "django-admin", Some("dbshell"), _)
            | ("rails", Some("dbconsole" | "db"), _)
            | ("prisma", Some("db"), Some("execute"))
    );
    if let Some(text) = typed.as_ref().filter(|_| sql) {
        crate::tools::sql::field(call, text);
        return;
    }
    let code = match (call.name, options.operand(0)) {
        ("manage.py" | "django-admin", Some("shell" | "shell_plus")) => {
            options.value(&["c", "command"]).or(typed.as_ref()).map(|code| (Language::Python, code))
        }
        ("rails", Some("console" | "c")) => typed.as_ref().map(|code| (Language::Ruby, code)),
        ("artisan", Some("tinker")) => {
            options.value(&["execute"]).or(typed.as_ref()).map(|code| (Language::Php, code))
        }
        _ => None,
    };
    if let Some((language, code)) = code {
        call.run_code(language, code);
        every_record(call, code);
        return;
    }
    if !matches!(call.name, "rake" | "rails" | "mix" | "flyway") {
        tool.judge_options(call, &options);
        return;
    }
    // These take several tasks.
    for task in std::mem::take(&mut options.operands) {
        options.operands = vec![task];
        tool.judge_options(call, &options);
    }
}

/// Code of a model that takes all its records: `User.delete_all`, `User.objects.all().delete()`.
fn every_record(call: &mut Call<'_, '_>, code: &Field) {
    const METHODS: &[&str] = &[
        ".delete_all",
        ".destroy_all",
        ".all.delete",
        ".all().delete()",
        "::truncate()",
        "::query()->delete()",
        "Queue.new.clear",
    ];
    let text = code.shown();
    // After a condition it is some of them.
    let some = [".where", ".filter", "::where"].iter().any(|word| text.contains(word));
    if !some && METHODS.iter().any(|method| text.contains(method)) {
        let effect = call.effect_at(Kind::Database, Act::DeleteAll, Target::None, code.span);
        effect.certainty = effect.certainty.min(Certainty::Possible);
    }
}

#[cfg(test)]
mod tests {
    use crate::tools::table::testing::check;

    #[test]
    fn schemas_are_reset() {
        check(
            "
            prisma migrate reset --force => database reset  certain -f
            prisma db push --force-reset => database reset  certain
            prisma db push --accept-data-loss => database migrate-lossy  certain -f
            prisma generate =>
            prisma migrate status =>
            rails db:drop db:create => database drop-database  certain
            rake db:migrate:reset => database reset  certain
            rails db:migrate => database migrate  certain
            rails server =>
            rails routes =>
            artisan migrate:fresh --seed --force => database reset  certain -f
            artisan db:wipe => database reset  certain
            artisan migrate --pretend =>
            artisan migrate:status =>
            manage.py flush --no-input => database reset  certain -f
            manage.py migrate app zero => database reset  certain
            manage.py runserver =>
            sequelize db:drop => database drop-database  certain
            sequelize db:migrate:undo:all => database reset  certain
            knex migrate:rollback --all => database reset  certain -r
            knex migrate:rollback => database rollback  certain
            typeorm schema:drop -d x => database reset  certain
            drizzle-kit push --force => database migrate-lossy  certain -f
            alembic downgrade base => database reset  certain
            alembic upgrade head => database migrate head certain
            alembic history =>
            migrate -path db -database x://h/y down -all => database reset  certain -r
            migrate -path db -database x://h/y version =>
            flyway -url=jdbc:x clean => database reset  certain
            liquibase dropAll => database reset  certain
            sqlx database reset -y => database reset  certain -f
            diesel database reset => database reset  certain
            mix ecto.drop => database drop-database  certain
            mix test =>
            dotnet-ef database drop --force => database drop-database  certain -f
            ",
        );
    }
}
