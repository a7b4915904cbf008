import type { Grant } from '@homeward/contract'
import type { RequestView } from '@homeward/contract/handler'

/** A user whom your app's sessions recognize. */
export interface Session {
  /** Stable id of the user, not empty. The user owns everything that it creates. */
  readonly userId: string
  /**
   * Person or token that acts for the user, for the audit log: 1 to 512 characters, such as the name of a colleague.
   *
   * @default the user acts
   */
  readonly actor?: string
  /** Permissions of the session. Every operation requires one of them. @default all permissions */
  readonly may?: readonly Grant[]
}

// C23: the cloud has no login of its own
/** Recognizes the users of your app. */
export interface Sessions {
  /**
   * Returns the session of a request.
   *
   * @returns null without a valid session. The caller then gets 401 `{error: "Unauthorized"}`.
   */
  resolve(request: RequestView): Promise<Session | null> | Session | null
}
