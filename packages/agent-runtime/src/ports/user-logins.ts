import type { Question } from './tool.ts'

/** What a tool asks whose server needs a login of the run's user: `ask` waits for it, and gives nothing. */
export interface LoginQuestion extends Question {
  readonly kind: 'login'
  /** Name of the MCP server. */
  readonly server: string
}

/** Logins of users to MCP servers, as runs need them. */
export interface UserLogins {
  /** Whether the user has logged in. */
  has(server: string, userId: string): Promise<boolean>
  /**
   * Begins a login, which is good for ten minutes.
   *
   * @returns where the user logs in; undefined if the token works that is there
   * @throws {RuntimeError} `not_found`, `run_error`
   */
  begin(server: string, userId: string): Promise<string | undefined>
}

/** How long the address of a login can be used, in milliseconds. */
export const loginLinkMs = 600_000

/** What the key of a wait begins with for which an MCP server has asked. No server has such a name. */
export const elicitationKey = 'elicitation:'

/** Whether an MCP server has asked for a wait: if it is a login, only the person or that server knows when it is done. */
export const isElicitation = ({ key = '' }: { readonly key?: string | undefined }) =>
  key.startsWith(elicitationKey)
