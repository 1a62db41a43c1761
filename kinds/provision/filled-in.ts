/** Which fields of a form were filled in: a text that was left blank is as good as absent. */

export function filledIn<Fields extends object>(fields: Fields): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  ) as Partial<Fields> // fromEntries forgets names
}
