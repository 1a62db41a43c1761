/** What was given of many flags: the others stay away from a request, for the service has the defaults. */

/** Without the fields that are undefined. */
export function given<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as ReturnType<typeof given<Fields>> // only what is undefined was taken away
}
