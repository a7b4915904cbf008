/** Whether exec tools run in a sandbox: if the system supports one, always (otherwise they do not run), or never. */
export type SandboxMode = 'auto' | 'require' | 'off'

/** Sandbox of exec tools. `none`: only a reduced environment, a time limit, and the end of all their processes. */
export type SandboxKind = 'bubblewrap' | 'namespaces' | 'sandbox-exec' | 'none'

/** The sandbox of exec tools. */
export interface SandboxState {
  readonly kind: SandboxKind
  /** Reason for a missing sandbox. */
  readonly reason?: string
}

/** A program that is to be fenced in. Paths are absolute and real. */
interface SandboxRequest {
  readonly command: readonly string[]
  /** The only folder that it can write. */
  readonly workspace: string
  /** Folders inside `hidden` ones that it can read. */
  readonly readable: readonly string[]
  /** Folders and files that look empty. */
  readonly hidden: readonly string[]
  readonly network: boolean
}

/** A command as it is started. */
export interface SandboxedCommand {
  readonly command: readonly string[]
  /** Processes of the sandbox above the program's own. */
  readonly wrappers: number
}

/** Fences a program in: reads outside the workspace, writes nowhere else, no network unless asked for. */
export interface Sandbox {
  readonly kind: Exclude<SandboxKind, 'none'>
  wrap(request: SandboxRequest): SandboxedCommand
}
