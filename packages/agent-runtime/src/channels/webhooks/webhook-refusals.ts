import type { ReceivedRequest } from '../../ports/channel.ts'

/** The webhook requests that were refused last, for people who wonder why no message comes in. */
interface WebhookRefusals {
  /** What a channel made of a request. One that it took shows that all is well again. */
  note(channel: string, received: ReceivedRequest): void
  /** What to say about a channel; undefined when its last request was not refused. */
  warningOf(channel: string): string | undefined
}

/** Remembers one a channel, in this process alone. */
export function createWebhookRefusals(now: () => number): WebhookRefusals {
  const refused = new Map<string, { readonly why: string; readonly at: string }>()
  return {
    note(channel, received) {
      if (received.kind === 'reply' && received.reply.status >= 400) {
        refused.set(channel, { why: received.why, at: new Date(now()).toISOString() })
      } else refused.delete(channel)
    },
    warningOf(channel) {
      const last = refused.get(channel)
      return last && `The last webhook request was rejected at ${last.at}: ${last.why}.`
    },
  }
}
