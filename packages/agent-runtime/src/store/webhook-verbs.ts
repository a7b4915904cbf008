import type { WebhookStore } from './ports/webhook-store.ts'
import { webhookLocks } from './verb-locks.ts'
import type { VerbOf } from './verbs.ts'

const locks = () => webhookLocks

/** The methods of webhooks, in the table `storeVerbs`. */
export const webhookVerbs: { readonly [Name in keyof WebhookStore]: VerbOf<WebhookStore[Name]> } = {
  insertWebhook: { kind: 'write', args: 3, locks, auditTarget: ({ id }) => id },
  findWebhook: { kind: 'read', args: 2 },
  listWebhooks: { kind: 'read', args: 1 },
  updateWebhook: { kind: 'write', args: 5, locks, auditTarget: (_, id) => id },
  deleteWebhook: { kind: 'write', args: 3, locks, auditTarget: (_, id) => id },
  listDeliveries: { kind: 'read', args: 2 },
  insertDelivery: { kind: 'write', args: 1, locks },
  listWebhookTypes: { kind: 'read', args: 0 },
  addWebhookEvents: { kind: 'write', args: 1, locks },
  claimWebhookDeliveries: { kind: 'write', args: 1, locks },
  recordAttempt: { kind: 'write', args: 1, locks },
  pruneDeliveries: { kind: 'write', args: 1, locks },
}
