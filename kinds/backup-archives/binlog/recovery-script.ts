/** What the Job of a restore of a mysql to a moment runs against the new server, before its login is handed out. */
import { answers, logins, opening } from '../scripts.ts'
import { replaying } from './replay-script.ts'

/**
 * Needs BASE, POINT, SERVER_HOST, SERVER_PORT, ANSWERS_WITHIN and the folders of the Secrets. The login has every
 * database that is there then, and the ones that the server began with are there, too.
 */
export const recoveryScript = String.raw`${opening}${logins.mysql}${answers.mysql}${replaying}while read -r db; do
  ask "CREATE DATABASE IF NOT EXISTS \`$db\`"
done <"$WORK/former"
own >"$WORK/names"
while read -r db; do
  ask "GRANT ALL PRIVILEGES ON \`$db\`.* TO '$login'@'%'"
done <"$WORK/names"
ends '{}' 0
`
