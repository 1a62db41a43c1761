/** A look-up by a name that a caller chose: every object has a `constructor` and a `toString` by itself. */
export function valueAt<Value>(values: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return values !== undefined && Object.hasOwn(values, name) ? values[name] : undefined
}
