import type { Reference } from './conformance-case.ts'

const operation = (name: string, page = 'device'): Reference => ({
  document: 'Device cloud reference',
  section: name,
  link: `docs/reference/cloud/${page}.md#${name.toLowerCase()}`,
})

const decision = (file: string, anchor: string): Reference => ({
  document: 'Decisions',
  section: file.split('-')[0]?.toUpperCase() ?? file,
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
  unreadable: decision('c06-a-device-that-cannot-upload', 'c6-a-device-that-cannot-upload-a-file'),
  failedStatus: decision('c08-status-of-a-failed-report', 'c8-http-status-of-a-failed-report'),
  firstReport: decision('c09-first-report-settles', 'c9-the-first-report-settles-a-search'),
  paging: decision('c11-order-and-paging', 'c11-order-and-paging'),
  rates: decision('c12-rates', 'c12-rates'),
  unauthorized: decision('c16-the-device-on-401', 'c16-the-device-on-401'),
  delivery: decision('c17-delivery-on-the-device', 'c17-delivery-on-the-device'),
  sizes: decision('c18-sizes', 'c18-sizes'),
  pace: decision('c21-pace', 'c21-pace'),
  holding: decision('c22-held-polls', 'c22-long-polls-deliver-work-at-once'),
  chunks: decision('c25-uploads-that-resume', 'c25-uploads-that-resume'),
  savedSearches: decision('c32-searches-on-many-devices', 'c32-a-search-on-many-devices-is-one-group'),
  searchText: decision('c27-search-text', 'c27-search-text-is-stored-unchanged'),
  canceled: decision('d07-upload-for-a-canceled-request', 'd7-an-upload-for-a-canceled-request-gets-200'),
} as const

/** The rules that the guide gives to authors of device agents. */
export const rules: Reference = {
  document: 'A device in any language',
  section: 'Rules that a device has to follow',
  link: 'docs/getting-started/device-in-any-language.md#rules-that-a-device-has-to-follow',
}
