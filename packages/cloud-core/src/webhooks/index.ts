export { createWebhookSender, type ResolveWebhookHost, type WebhookSenderOptions } from '@homeward/kit/node'
export {
  WebhookFailure,
  type WebhookRequest,
  type WebhookResponse,
  type WebhookSender,
} from '@homeward/kit/webhooks'
