/**
 * Starts the bundle, whose parts are the bodies of functions: those that a start needs stand in the file as code, the
 * others behind it as text, which is compiled when it is asked for. The function is put into the bundle as
 * it is written, so it uses nothing from outside of it.
 */

type Require = (id: string) => unknown
type Module = { exports: unknown }
/** What parts.ts makes of modules. */
type Part = (require: Require, module: Module, exports: unknown) => void

export interface Start {
  /** The part that is run. */
  readonly entry: string
  /** The parts that stand in the file, by their paths, which begin with `./`. */
  readonly parts: Readonly<Record<string, Part>>
  /** Node's own modules. */
  readonly builtin: typeof process.getBuiltinModule
  /** The lines `//part PATH TEXT`: a string of JSON, or base64 of what was compressed. */
  readonly readLines: () => string
}

export function start({ entry, parts, builtin, readLines }: Start): void {
  const modules = new Map<string, Module>()
  let lines: string | undefined
  const load: Require = (id) => {
    if (!id.startsWith('./')) return builtin(id)
    const loaded = modules.get(id)
    if (loaded !== undefined) return loaded.exports
    // Registered before it runs: parts may need each other in a circle.
    const module: Module = { exports: {} }
    modules.set(id, module)
    const part = parts[id] ?? compile(id)
    part(load, module, module.exports)
    return module.exports
  }
  const compile = (id: string): Part => {
    const parameters = ['require', 'module', 'exports']
    // What parts.ts wrote is the body of such a function.
    return builtin('node:vm').compileFunction(textOf(id), parameters, { filename: id }) as Part
  }
  const textOf = (id: string): string => {
    const all = (lines ??= readLines())
    const head = `\n//part ${id} `
    const from = all.indexOf(head) + head.length
    const text = all.slice(from, all.indexOf('\n', from))
    if (text.startsWith('"')) return JSON.parse(text) as string // written by parts.ts
    return builtin('node:zlib').gunzipSync(Buffer.from(text, 'base64')).toString()
  }
  load(entry)
}
