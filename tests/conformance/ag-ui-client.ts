/** How a run of the official client finished. */
export type Finished =
  | { readonly outcome: 'success'; readonly result?: unknown; readonly pendingToolCallIds: readonly string[] }
  | { readonly outcome: 'interrupt'; readonly interrupts: readonly Interrupt[] }
  | { readonly outcome: 'cancelled' }

interface Interrupt {
  readonly id: string
  readonly toolCallId?: string
}

interface Message {
  readonly id: string
  readonly role: string
  readonly content?: unknown
  readonly toolCallId?: string
  readonly error?: string
}

/** What a run is given. */
export interface Parameters {
  readonly tools?: readonly object[]
  readonly context?: readonly object[]
  readonly resume?: readonly object[]
}

interface Subscriber {
  onEvent(given: { readonly event: { readonly type: string } }): void
  onRunFinishedEvent(finished: Finished): void
  onRunErrorEvent(given: { readonly event: unknown }): void
}

/** What these tests use of the `HttpAgent` of AG-UI. */
interface Agent {
  readonly messages: readonly Message[]
  addMessage(message: Message): void
  runAgent(parameters: Parameters, subscriber: Subscriber): Promise<unknown>
  abortRun(): void
}

// Its types need those of rxjs and zod 3: they are not compiled here.
const name = '@ag-ui/client'
const client = (await import(name)) as {
  readonly HttpAgent: new (options: { readonly url: string; readonly threadId: string }) => Agent
}

/** The official client of AG-UI. */
export const { HttpAgent } = client
