import type {
  NewTrigger,
  Trigger,
  TriggerDelivery,
  TriggerOutcome,
  TriggerUpdate,
} from '@homeward/contract/agent-platform'

/** A call of another program. */
export interface TriggerCall {
  /** Value of a header; `name` in lower case. */
  header(name: string): string | undefined
  /** Reads the whole body. It is called only if the trigger exists and is enabled. */
  body(): Promise<Uint8Array>
}

/** What came of a call. */
export type TriggerReply =
  | { readonly kind: 'accepted'; readonly outcome: TriggerOutcome; readonly taskId?: string }
  /** The trigger does not exist, or it is disabled. */
  | { readonly kind: 'unknown' }
  /** The signature or the token is missing or not valid. */
  | { readonly kind: 'unauthorized' }
  /** The trigger has accepted as many calls in the last minute as it may. */
  | { readonly kind: 'limited' }

/** Triggers: addresses that other programs call to start work. */
export interface Triggers {
  /**
   * Creates a trigger and gives its secret, once.
   *
   * @throws {RuntimeError} `validation_error`; `not_found` if the agent or graph does not exist; `conflict` if there are 1,000
   * triggers already
   */
  create(input: NewTrigger): Promise<{ readonly trigger: Trigger; readonly secret: string }>
  /** All triggers, newest first. Without the setting `public_url`, their `url` is a path. */
  list(): Promise<readonly Trigger[]>
  /** @throws {RuntimeError} `not_found` */
  get(id: string): Promise<Trigger>
  /** Changes a trigger. An old secret is valid for 24 hours more. @throws {RuntimeError} `not_found`, `validation_error` */
  update(id: string, changes: TriggerUpdate): Promise<Trigger>
  /** Deletes a trigger with its deliveries. @throws {RuntimeError} `not_found` */
  delete(id: string): Promise<void>
  /** The newest 100 valid calls of a trigger. @throws {RuntimeError} `not_found` */
  deliveries(id: string): Promise<readonly TriggerDelivery[]>
  /**
   * Takes a call. It is stored with its task when this resolves.
   *
   * @throws {RuntimeError} `validation_error` if the body is neither JSON nor a form
   */
  receive(id: string, call: TriggerCall): Promise<TriggerReply>
}
