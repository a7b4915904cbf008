export { backgroundTimers } from './background-timers.ts'
export {
  AddressRefused,
  checkedLookup,
  createCheckedFetch,
  type ChooseAddresses,
  type ResolveHost,
} from './checked-fetch.ts'
export { replaceFile, type ReplaceFileOptions } from './replace-file.ts'
export { isMetadataAddress, isLocalAddress, isPrivateAddress } from './address-rules.ts'
export {
  createWebhookSender,
  parseWebhookHosts,
  type ResolveWebhookHost,
  type WebhookSenderOptions,
} from './webhook-sender.ts'
