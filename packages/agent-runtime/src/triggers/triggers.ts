import type {
  NewTrigger,
  Trigger,
  TriggerDelivery,
  TriggerOutcome,
  TriggerUpdate,
} from '@homeward/contract/agent-platform'

/** A call of another program. */
export interface TriggerCall {
  /** Returns the value of a header; `name` in lowercase. */
  header(name: string): string | undefined
  /** Reads the whole body. Called only if the trigger exists and is enabled. */
  body(): Promise<Uint8Array>
}

/** Outcome of a call. */
export type TriggerReply =
  | { readonly kind: 'accepted'; readonly outcome: TriggerOutcome; readonly taskId?: string }
  /** The trigger does not exist, or it is disabled. */
  | { readonly kind: 'unknown' }
  /** The signature or the token is missing or not valid. */
  | { readonly kind: 'unauthorized' }
  /** The trigger has accepted as many calls in the last minute as it may. */
  | { readonly kind: 'limited' }

/** Triggers: addresses for other programs to start work. */
export interface Triggers {
  /**
   * Creates a trigger. The secret is returned only here.
   *
   * @throws {RuntimeError} `validation_error`; `not_found` if the agent or graph does not exist; `conflict` if there
   * are already 1,000 triggers
   */
  create(input: NewTrigger): Promise<{ readonly trigger: Trigger; readonly secret: string }>
  /** Lists all triggers, newest first. Without the setting `public_url`, their `url` is a path. */
  list(): Promise<readonly Trigger[]>
  /** Returns a trigger. @throws {RuntimeError} `not_found` */
  get(id: string): Promise<Trigger>
  /**
   * Changes a trigger. A replaced secret stays valid for 24 hours.
   *
   * @throws {RuntimeError} `not_found`, `validation_error`
   */
  update(id: string, changes: TriggerUpdate): Promise<Trigger>
  /** Deletes a trigger with its deliveries. @throws {RuntimeError} `not_found` */
  delete(id: string): Promise<void>
  /** Returns the newest 100 valid calls of a trigger. @throws {RuntimeError} `not_found` */
  deliveries(id: string): Promise<readonly TriggerDelivery[]>
  /**
   * Handles a call. Resolves when the call is stored with its task.
   *
   * @throws {RuntimeError} `validation_error` if the body is neither JSON nor a form
   */
  receive(id: string, call: TriggerCall): Promise<TriggerReply>
}
