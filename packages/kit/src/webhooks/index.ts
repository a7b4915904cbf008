export {
  createWebhookDispatcher,
  type WebhookDispatcher,
  type WebhookDispatcherOptions,
} from './create-webhook-dispatcher.ts'
export { createWebhookSecret, isWebhookSecret, signWebhook, type WebhookMessage } from './sign-webhook.ts'
export {
  createWebhookService,
  maxWebhooks,
  toDeliveryView,
  toWebhookView,
  type CreatedWebhook,
  type WebhookAction,
  type WebhookAudit,
  type WebhookInput,
  type WebhookProblem,
  type WebhookService,
  type WebhookServiceOptions,
  type WebhookServiceStore,
} from './webhook-service.ts'
export {
  WebhookFailure,
  type WebhookRequest,
  type WebhookResponse,
  type WebhookSender,
} from './webhook-sender.ts'
export type {
  DeliveryAttempt,
  DeliveryClaim,
  DeliveryLimits,
  DeliveryStatus,
  DeliveryStore,
  DueDelivery,
  NewWebhookEvent,
  StoredDelivery,
  StoredWebhook,
  WebhookChanges,
} from './webhook-store.ts'
