export { createCourier, type Courier, type CourierSetup } from './create-courier.ts'
export { makeWebhookSecret, isWebhookSecret, signWebhook, type WebhookMessage } from './sign-webhook.ts'
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
