import type { Reference } from './conformance-case.ts'

const operation = (name: string, page = 'device'): Reference => ({
  document: 'Device cloud reference',
  section: name,
  link: `docs/reference/cloud/${page}.md#${name.toLowerCase()}`,
})

const decision = (file: string, anchor: string): Reference => ({
  document: 'Decisions',
  section: anchor.split('-')[0]?.toUpperCase() ?? file,
  link: `docs/decisions/${file}.md#${anchor}`,
})

/** Every operation of the reference that cases hold. */
export const operations = {
  heartbeat: operation('sendHeartbeat'),
  searches: operation('listPendingSearches'),
  work: operation('takeWork'),
  report: operation('reportSearch'),
  uploads: operation('listPendingUploads'),
  upload: operation('uploadFile'),
  plan: operation('beginChunkedUpload'),
  chunk: operation('sendUploadChunk'),
  complete: operation('completeChunkedUpload'),
  results: operation('SearchResults'),
  foundFile: operation('FoundFile'),
  sendCatalog: operation('sendCatalog'),
  removeCatalog: operation('removeCatalog'),
  register: operation('registerDevice', 'devices'),
  devices: operation('listDevices', 'devices'),
  device: operation('getDevice', 'devices'),
  updateDevice: operation('updateDevice', 'devices'),
  deleteDevice: operation('deleteDevice', 'devices'),
  rotate: operation('rotateDeviceKey', 'devices'),
  createSearches: operation('createSearches', 'searches'),
  listSearches: operation('listSearches', 'searches'),
  deleteSearch: operation('deleteSearch', 'searches'),
  createUploads: operation('createUploads', 'files'),
  listUploads: operation('listUploads', 'files'),
  cancelUpload: operation('cancelUpload', 'files'),
  download: operation('downloadFile', 'files'),
} as const

/** Every rule of the decisions that cases hold. */
export const decisions = {
  unreadable: decision('upload-requests', 'c6-a-device-that-cannot-upload-a-file'),
  failedStatus: decision('search-results', 'c8-http-status-of-a-failed-report'),
  firstReport: decision('search-results', 'c9-the-first-report-settles-a-search'),
  paging: decision('lists', 'c11-order-and-paging'),
  rates: decision('limits', 'c12-rates'),
  unauthorized: decision('device-retries', 'c16-the-device-on-401'),
  delivery: decision('device-retries', 'c17-delivery-on-the-device'),
  sizes: decision('limits', 'c18-sizes'),
  pace: decision('device-retries', 'c21-pace'),
  holding: decision('long-polls', 'c22-long-polls-deliver-work-at-once'),
  chunks: decision('uploads', 'c25-uploads-that-resume'),
  savedSearches: decision('search-groups', 'c32-a-search-on-many-devices-is-one-group'),
  searchText: decision('search-groups', 'c27-search-text-is-stored-unchanged'),
  canceled: decision('upload-requests', 'd7-an-upload-for-a-canceled-request-gets-200'),
} as const

/** The rules that the guide gives to authors of device agents. */
export const rules: Reference = {
  document: 'A device in any language',
  section: 'Rules that a device has to follow',
  link: 'docs/getting-started/device-in-any-language.md#rules-that-a-device-has-to-follow',
}
