import type { Grant } from '@homeward/contract'
import type { RequestView } from '@homeward/contract/handler'

/** A user whom your app's sessions recognize. */
export interface Session {
  /** Stable identifier of the user, not empty. Everything a user creates belongs to it (C20). */
  readonly userId: string
  /**
   * Who acts on behalf of the user: 1 to 512 characters, such as the name of a colleague. The audit names it (C30).
   * @default none: the user acts
   */
  readonly actor?: string
  /** Grants of the session. Every operation names the grant that it needs (C30). @default everything */
  readonly may?: readonly Grant[]
}

/** Recognizes the users of your app (C23). */
export interface Sessions {
  /**
   * Tells who calls.
   *
   * @returns null when there is no valid session; the caller then gets 401 `{error: "Unauthorized"}`.
   */
  resolve(request: RequestView): Promise<Session | null> | Session | null
}
