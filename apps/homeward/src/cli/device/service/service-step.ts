/** One step of installing or removing the service, done in order. */
export type ServiceStep =
  | {
      readonly do: 'write'
      readonly path: string
      readonly content: string
      readonly mode: number
      /** Windows reads task files as UTF-16. @default utf8 */
      readonly encoding?: 'utf16le'
    }
  | { readonly do: 'copy'; readonly from: string; readonly path: string; readonly mode: number }
  | {
      readonly do: 'run'
      /** Program and arguments. No shell reads them. */
      readonly command: readonly [string, ...string[]]
      /** Whether a failure is expected, such as stopping what does not run. */
      readonly mayFail?: boolean
      /** The command that does the same where all tries have failed. */
      readonly orElse?: readonly [string, ...string[]]
      /** Most tries, with a pause between them, where a system is not ready at once. @default 1 */
      readonly tries?: number
    }
  | {
      readonly do: 'wait'
      /** Program and arguments that fail once a stop is over, because a system stops things later than it says. */
      readonly command: readonly [string, ...string[]]
    }
  /** Removes a file, or a folder with everything in it. */
  | { readonly do: 'remove'; readonly path: string }
  /** Gives the state folder to the user that the service runs as. */
  | { readonly do: 'own'; readonly path: string; readonly user: string }

/** What starts services on a system. */
export type ServiceKind = 'systemd' | 'launchd' | 'windows'

/** How the program of the agent is started. */
export interface AgentProgram {
  /** A file to copy to a place that stays, and its name there. Undefined if the program stays where it is. */
  readonly copy: { readonly from: string; readonly name: string } | undefined
  /** Node and its options. Empty if the program is one executable. */
  readonly runner: readonly string[]
  /** Path of the program, if it is not copied. */
  readonly path: string
}

/** What the service of this device has to do. */
export interface ServiceOptions {
  readonly roots: readonly string[]
  /** Variables that the agent reads. */
  readonly environment: Readonly<Record<string, string>>
  readonly stateFolder: string
  /** Whether the user named the state folder; otherwise the service has its own. */
  readonly isStateNamed: boolean
  /** User that the service runs as. @default systemd: `homeward-device`; elsewhere the user who installs it */
  readonly user: string | undefined
  readonly program: AgentProgram
}
