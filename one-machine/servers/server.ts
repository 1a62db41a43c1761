/** The shape of an entry of the catalogue of servers: how a server is built, and what is offered of it. */

export interface Download {
  readonly url: string
  /** The pinned SHA-256 sum of the file at the url. */
  readonly sha256?: string | undefined
  /**
   * Where no sum is pinned: the publisher's own list of sums, or a file with this one sum, for users who allow such
   * downloads.
   */
  readonly checksumUrl?: string
  /** Path of the executable inside the tar or zip archive at `url`; without it the url is the executable. */
  readonly member?: string
}

/**
 * A copy of a module with replaced files: path in that module to path in the wrapper module, or to '' for a removed
 * file.
 */
export interface Altered {
  readonly module: string
  readonly files: Readonly<Record<string, string>>
}

export interface Server {
  readonly version: string
  /** Folder of the wrapper module under modules/; its go.sum has the checksum of every module of the build. */
  readonly group: string
  /** The Go package of the program. */
  readonly package: string
  /** `path.Variable=value` settings of the linker, which give the program its version. */
  readonly variables?: readonly string[]
  readonly tags?: string
  /** The program has parts in C: this machine's compiler compiles them and links them statically. */
  readonly partsInC?: boolean
  /** Replacements for parts that one machine does not need, or that a module's archive lacks. */
  readonly altered?: readonly Altered[]
  /** Other accepted versions of a program on the PATH: those of distributions. */
  readonly alsoTaken?: readonly string[]
  /** Arguments that print the version, for the check of a program on the PATH. */
  readonly versionArguments: readonly string[]
  /** Measured on two cores with the modules before it in this list already compiled. */
  readonly buildSeconds: number
  /** Undefined where the publisher offers no verifiable executable for this machine. */
  readonly download?: (platform: string, arch: string) => Download | undefined
}
