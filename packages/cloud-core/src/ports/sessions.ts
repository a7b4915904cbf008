import type { RequestView } from '@homeward/contract/handler'

/** A user whom the host's session mechanism recognised. */
export interface Session {
  /** Stable identifier of the user, not empty. Everything a user creates belongs to it (C20). */
  readonly userId: string
}

/** How the host recognises its users (C23). */
export interface Sessions {
  /**
   * Tells who calls.
   *
   * @returns null when there is no valid session; the caller then gets 401 `{error: "Unauthorized"}`.
   */
  resolve(request: RequestView): Promise<Session | null> | Session | null
}
