#!/bin/sh
# Makes Temporal's two databases and brings their tables to the version of this image; safe to repeat. Run by the service
# temporal-schema of docker-compose.yml in Temporal's admin-tools image. Where the databases are, the environment says:
# SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER, SQL_PASSWORD.
set -eu

set_up() {
  export SQL_DATABASE="$1"
  # The tool cannot ask whether there is one; what else may be wrong fails the next step.
  temporal-sql-tool create-database || echo "$1 was there already"
  temporal-sql-tool setup-schema --version 0.0 # only the tables of versions; skipped where they are newer
  temporal-sql-tool update-schema --schema-name "$2"
}

set_up temporal postgresql/v12/temporal
set_up temporal_visibility postgresql/v12/visibility
