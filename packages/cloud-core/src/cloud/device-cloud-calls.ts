import type { BodyInputOf, QueryOf, ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import type { PlainReply, RequestView } from '@homeward/contract/handler'
import type { UserCall } from '../context/cloud-context.ts'

type Body<Name extends keyof DeviceCloudOperations> = BodyInputOf<DeviceCloudOperations[Name]>
type Query<Name extends keyof DeviceCloudOperations> = Partial<QueryOf<DeviceCloudOperations[Name]>>
type Reply<Name extends keyof DeviceCloudOperations> = Promise<ReplyOf<DeviceCloudOperations[Name]>>

/**
 * The operations of users, called from your own code without HTTP. Each call takes and returns what the route of the same name
 * takes and returns, for the user that `call.userId` names. You can leave out fields that have a default.
 *
 * Each call fails with an `HttpError` where the route responds with an error status, and with a `CloudStoreError` after you closed
 * the cloud.
 *
 * @example
 * const { devices } = await cloud.listDevices({ userId: 'ann' })
 * const { groupId } = await cloud.createSearches({ userId: 'ann' }, { query: 'invoice', scope: ['files'], filter: {} })
 */
export interface DeviceCloudCalls {
  /** Lists the user's devices, or those that a filter matches, newest first. */
  listDevices(call: UserCall, query?: Query<'listDevices'>): Reply<'listDevices'>
  /** Returns a device. */
  getDevice(call: UserCall, id: string): Reply<'getDevice'>
  /** Returns the times at which a device was silent. */
  getDevicePresence(
    call: UserCall,
    id: string,
    query?: Query<'getDevicePresence'>,
  ): Reply<'getDevicePresence'>
  /** Changes the name, the type or the labels of a device. */
  updateDevice(call: UserCall, id: string, body: Body<'updateDevice'>): Reply<'updateDevice'>
  /** Registers a device, and returns its API key once. */
  registerDevice(call: UserCall, body: Body<'registerDevice'>): Reply<'registerDevice'>
  /** Returns a device's API key, if your app configured `keySecret`. */
  revealDeviceKey(call: UserCall, id: string): Reply<'revealDeviceKey'>
  /** Creates a new API key for the device. The old key works until the new one is first used, for at most 24 hours. */
  rotateDeviceKey(call: UserCall, id: string): Reply<'rotateDeviceKey'>
  /** Deletes a device with its searches and files, and revokes its key at once. */
  deleteDevice(call: UserCall, id: string): Reply<'deleteDevice'>
  /** Deletes the list of files that a device left with the cloud. A device with `DEVICE_CATALOG=on` sends a new list once its files change. */
  deleteDeviceCatalog(call: UserCall, id: string): Reply<'deleteDeviceCatalog'>
  /** Adds and removes labels of devices. If one of `deviceIds` is unknown, nothing changes. */
  updateDevices(call: UserCall, body: Body<'updateDevices'>): Reply<'updateDevices'>
  /** Deletes devices as `deleteDevice` does. Passes over ids that are unknown. */
  deleteDevices(call: UserCall, body: Body<'deleteDevices'>): Reply<'deleteDevices'>
  /** Creates a group of searches: one for each device, selected by ids or by a filter. */
  createSearches(call: UserCall, body: Body<'createSearches'>): Reply<'createSearches'>
  /** Lists the user's searches with their results, newest first. */
  listSearches(call: UserCall, query?: Query<'listSearches'>): Reply<'listSearches'>
  /** Cancels a pending search, or deletes an ended search with its results. */
  deleteSearch(call: UserCall, id: string): Reply<'deleteSearch'>
  /** Lists the user's groups of searches, or those that a filter matches, newest first. */
  listSearchGroups(call: UserCall, query?: Query<'listSearchGroups'>): Reply<'listSearchGroups'>
  /** Returns a group of searches, with the counts of their states. */
  getSearchGroup(call: UserCall, id: string): Reply<'getSearchGroup'>
  /** Deletes a group: cancels its pending searches, and deletes the others with their results. */
  deleteSearchGroup(call: UserCall, id: string): Reply<'deleteSearchGroup'>
  /** Streams all results of a group as a file: one row for each file, app or other answer, and one with an `error` for each device that failed, has not answered, or did not see everything. */
  exportSearchGroup(call: UserCall, id: string, query?: Query<'exportSearchGroup'>): Promise<PlainReply>
  /** Saves a search, which can also run on a schedule. */
  createSavedSearch(call: UserCall, body: Body<'createSavedSearch'>): Reply<'createSavedSearch'>
  /** Lists the user's saved searches, newest first. */
  listSavedSearches(call: UserCall, query?: Query<'listSavedSearches'>): Reply<'listSavedSearches'>
  /** Returns a saved search. */
  getSavedSearch(call: UserCall, id: string): Reply<'getSavedSearch'>
  /** Replaces a saved search. Without `schedule`, it no longer runs automatically. */
  updateSavedSearch(call: UserCall, id: string, body: Body<'updateSavedSearch'>): Reply<'updateSavedSearch'>
  /** Deletes a saved search. The groups of its runs stay. */
  deleteSavedSearch(call: UserCall, id: string): Reply<'deleteSavedSearch'>
  /** Runs a saved search now, on the devices that its filter matches. */
  runSavedSearch(call: UserCall, id: string): Reply<'runSavedSearch'>
  /** Lists what changed between the last two runs. */
  listSavedSearchChanges(
    call: UserCall,
    id: string,
    query?: Query<'listSavedSearchChanges'>,
  ): Reply<'listSavedSearchChanges'>
  /** Asks devices for a file. Select the devices by ids or by a filter. */
  createUploads(call: UserCall, body: Body<'createUploads'>): Reply<'createUploads'>
  /** Lists the user's upload requests with their outcome, newest first. */
  listUploads(call: UserCall, query?: Query<'listUploads'>): Reply<'listUploads'>
  /** Cancels an upload request that has not ended. */
  cancelUpload(call: UserCall, id: string): Reply<'cancelUpload'>
  /** Streams an uploaded file as an attachment. `fileUrl` points here. */
  downloadFile(
    call: UserCall,
    id: string,
    request?: Pick<RequestView, 'method' | 'header'>,
  ): Promise<PlainReply>
  /** Lists the user's actions and rejected attempts, newest first. */
  listAudit(call: UserCall, query?: Query<'listAudit'>): Reply<'listAudit'>
  /** Creates an API token, and returns its secret once. The token may do no more than its creator. */
  createToken(call: UserCall, body: Body<'createToken'>): Reply<'createToken'>
  /** Lists the user's API tokens, newest first. There are at most 100. */
  listTokens(call: UserCall): Reply<'listTokens'>
  /** Revokes an API token: at once in this process, and within 5 seconds in others. */
  deleteToken(call: UserCall, id: string): Reply<'deleteToken'>
  /** Finds the device that waits with a code, so that a user can check it. */
  findEnrollment(call: UserCall, query?: Query<'findEnrollment'>): Reply<'findEnrollment'>
  /** Approves a device, which then belongs to the user. A retry gets the same response. */
  approveEnrollment(call: UserCall, id: string, body: Body<'approveEnrollment'>): Reply<'approveEnrollment'>
  /** Denies a device. Its key stays denied. */
  denyEnrollment(call: UserCall, id: string): Reply<'denyEnrollment'>
  /** Creates a token that enrolls devices, and returns its secret once. */
  createEnrollmentToken(call: UserCall, body: Body<'createEnrollmentToken'>): Reply<'createEnrollmentToken'>
  /** Lists the user's enrollment tokens that are not revoked, newest first. */
  listEnrollmentTokens(call: UserCall): Reply<'listEnrollmentTokens'>
  /** Revokes an enrollment token. Devices that it admitted stay. */
  revokeEnrollmentToken(call: UserCall, id: string): Reply<'revokeEnrollmentToken'>
  /** Streams all data of the user as NDJSON: a line `{"type", "data"}` for each row, then a line of type `end`. Its `leftOut` names the kinds of rows that the session may not read. */
  exportOwner(call: UserCall): Promise<PlainReply>
  /** Erases all data of the user. API tokens may not call this. */
  eraseOwner(call: UserCall): Reply<'eraseOwner'>
  /** Creates a webhook, and returns its secret once. The webhook gets events from then on. */
  createWebhook(call: UserCall, body: Body<'createWebhook'>): Reply<'createWebhook'>
  /** Lists the user's webhooks, newest first. There are at most 20. */
  listWebhooks(call: UserCall): Reply<'listWebhooks'>
  /** Returns a webhook. */
  getWebhook(call: UserCall, id: string): Reply<'getWebhook'>
  /** Changes a webhook, or enables a disabled webhook. */
  updateWebhook(call: UserCall, id: string, body: Body<'updateWebhook'>): Reply<'updateWebhook'>
  /** Deletes a webhook with its deliveries. */
  deleteWebhook(call: UserCall, id: string): Reply<'deleteWebhook'>
  /** Sends an event `webhook.test` once, and returns the outcome. Takes at most 15 seconds. At most four tests run at a time. */
  testWebhook(call: UserCall, id: string): Reply<'testWebhook'>
  /** Lists the newest 100 deliveries of a webhook, newest first. */
  listWebhookDeliveries(call: UserCall, id: string): Reply<'listWebhookDeliveries'>
  /** Lists the limits of the user, and how much of each is used. */
  listQuotas(call: UserCall): Reply<'listQuotas'>
}
