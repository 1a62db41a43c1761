/** The script of a restore of a mysql to a moment: it runs against the new server, before its login is handed out. */
import { answers, logins, opening } from '../scripts.ts'
import { replaying } from './replay-script.ts'

/**
 * Needs BASE, POINT, SERVER_HOST, SERVER_PORT, ANSWERS_WITHIN and the folders of the Secrets. In the end the login has
 * all rights on every restored database, and those that the server began with exist again.
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
