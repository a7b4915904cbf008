import type { Webhook, WebhookDelivery } from '@homeward/contract/agent-platform'
import {
  createWebhookService,
  maxWebhooks,
  toDeliveryView,
  toWebhookView,
  type StoredDelivery,
  type StoredWebhook,
  type WebhookAction,
  type WebhookDispatcher,
  type WebhookProblem,
  type WebhookSender,
} from '@homeward/kit/webhooks'
import { RuntimeError } from '../ports/runtime-error.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { Webhooks } from './webhooks.ts'

/** A runtime has one operator. */
const owner = ''

/** Options of {@link createWebhooks}. */
interface CreateWebhooksOptions {
  readonly store: RuntimeStore
  readonly sender: WebhookSender
  readonly courier: WebhookDispatcher
  readonly now: () => number
  readonly createId: () => string
}

/** Creates the service of webhooks. */
export function createWebhooks(options: CreateWebhooksOptions): Webhooks {
  const { store } = options
  const service = createWebhookService<undefined>({
    ...options,
    randomBytes: (size) => crypto.getRandomValues(new Uint8Array(size)),
    testData: (id) => ({ webhook_id: id }),
    toError,
  })
  return {
    create: (input) =>
      service.create(owner, input, async ({ webhook, secret }) =>
        (await store.insertWebhook(webhook, maxWebhooks))
          ? { webhook: toWebhook(webhook), secret }
          : 'too_many',
      ),
    list: async () => (await service.list(owner)).map(toWebhook),
    get: async (id) => toWebhook(await service.get(owner, id)),
    update: async (id, changes) => toWebhook(await service.update(owner, id, changes)),
    delete: (id) => service.delete(owner, id),
    test: async (id) => toDelivery(await service.test(owner, id)),
    deliveries: async (id) => (await service.deliveries(owner, id)).map(toDelivery),
  }
}

const attempts: Readonly<Record<WebhookAction, string>> = {
  create: 'Creating the webhook',
  get: 'Getting the webhook',
  update: 'Changing the webhook',
  delete: 'Deleting the webhook',
  test: 'Testing the webhook',
  'list deliveries': 'Listing deliveries',
}

function toError({ kind, action, reason }: WebhookProblem): RuntimeError {
  const failed = `${attempts[action]} failed:`
  switch (kind) {
    case 'not_found':
      return new RuntimeError('not_found', `${failed} no webhook has this id. List the webhooks to find it.`)
    case 'refused': {
      const message = `${failed} "url" cannot be used: ${reason}. Use another address.`
      return new RuntimeError('validation_error', message)
    }
    case 'too_many': {
      const limit = `the limit of ${maxWebhooks} webhooks is reached. Delete a webhook that you no longer need.`
      return new RuntimeError('conflict', `${failed} ${limit}`)
    }
    case 'busy':
    case 'not_sent': // a runtime always has a sender
    default: {
      const busy = 'several tests of this webhook are running. Wait until they end.'
      return new RuntimeError('conflict', `${failed} ${busy}`)
    }
  }
}

const toWebhook = (webhook: StoredWebhook) => inSnakeCase(toWebhookView(webhook)) as unknown as Webhook // its fields, renamed

const toDelivery = (delivery: StoredDelivery) =>
  inSnakeCase(toDeliveryView(delivery)) as unknown as WebhookDelivery // its fields, renamed

/** Fields as the platform's API names them. */
function inSnakeCase(fields: object): Record<string, unknown> {
  const toSnake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [toSnake(name), value]))
}
