import { globSync } from 'node:fs'
import * as contract from '@homeward/contract/device-cloud'
import type { Operation } from '@homeward/contract'
import { deviceCloudExamples } from '@homeward/contract/examples'
import * as z from 'zod/mini'
import { workspaceFolder } from '../workspace-packages.ts'
import { code, exampleNote, table } from './markdown.ts'
import { createOperationSections, type DocumentedInterface } from './operation-sections.ts'
import { type Subject, subjectOf, subjectPages } from './subject-pages.ts'

const {
  ApiToken,
  Device,
  DeviceMetadata,
  FoundApp,
  FoundFile,
  SearchQuery,
  SearchReportReply,
  SearchRequest,
} = contract
const { SearchResults, SystemFacts, Upload, UploadRequest, UploadResult } = contract

const shown: DocumentedInterface = {
  title: 'Device cloud',
  operations: contract.deviceCloudOperations,
  examples: deviceCloudExamples,
  shapes: {
    Device,
    DeviceMetadata,
    SearchRequest,
    SearchQuery,
    SearchResults,
    FoundFile,
    FoundApp,
    SystemFacts,
    SearchReportReply,
    UploadRequest,
    Upload,
    UploadResult,
    ApiToken,
  },
  sources: globSync('packages/contract/src/device-cloud/*.ts', { cwd: workspaceFolder }).toSorted(),
  tables: [
    'deviceOperations',
    'userOperations',
    'auditOperations',
    'apiTokenOperations',
    'ownerOperations',
    'chunkOperations',
    'fileOperations',
    'ownDeviceOperations',
    'eventOperations',
  ],
  mixins: { '*': ['StoredLinks'] },
}

/** The pages of the API. */
const subjects: readonly Subject[] = [
  {
    file: 'device',
    title: 'The device side',
    about: 'The requests that a device sends: heartbeats, polls, reports and uploads.',
    paths: ['device /api/devices/'],
    shapes: [
      'DeviceMetadata',
      'SearchRequest',
      'SearchResults',
      'FoundFile',
      'FoundApp',
      'SystemFacts',
      'SearchReportReply',
      'UploadRequest',
      'UploadResult',
    ],
  },
  {
    file: 'enrollment',
    title: 'Enrollment',
    about: 'Let devices ask to join, and approve them.',
    paths: ['/api/devices/enrollment'],
  },
  {
    file: 'devices',
    title: 'Devices',
    about: 'Register devices, list them, change their labels and keys, and delete them.',
    paths: ['/api/devices'],
    shapes: ['Device'],
  },
  {
    file: 'searches',
    title: 'Searches',
    about: 'Search devices, save searches, and read the results.',
    paths: ['/api/devices/search/', '/api/devices/saved-searches'],
    shapes: ['SearchQuery'],
  },
  {
    file: 'files',
    title: 'Files',
    about: 'Request files from devices, and download them.',
    paths: ['/api/devices/files'],
    shapes: ['Upload'],
  },
  {
    file: 'events',
    title: 'Events of devices',
    about: 'Follow devices, searches and uploads live.',
    paths: ['/api/devices/events'],
    sections: streamSections,
  },
  {
    file: 'webhooks',
    title: 'Webhooks',
    about: 'Send events to your own servers.',
    paths: ['/api/webhooks'],
  },
  {
    file: 'access',
    title: 'Tokens, audit and the data of a user',
    about: 'Create access tokens, read the audit log, and export or erase the data of a user.',
    paths: ['/api/tokens', '/api/audit', '/api/export', '/api/owner'],
    shapes: ['ApiToken'],
  },
  {
    file: 'server',
    title: 'Quotas, metrics and MCP',
    about: 'Read quotas and metrics, and use devices from MCP clients.',
    paths: ['/api/quotas', '/metrics', '/mcp'],
  },
]

/** The index and the pages of the device cloud's API, from the contract. */
export function deviceCloudPages(): Map<string, string> {
  return subjectPages({
    index: 'device-cloud',
    folder: 'cloud',
    title: 'Device cloud',
    intro: [
      'The HTTP API of the device cloud, with a page for each subject. The pages are generated from ' +
        '[the table of operations](../../packages/contract/src/device-cloud/operations.ts). A running server has the same as an ' +
        'OpenAPI 3.1 document at `/openapi.json`.',
      'Error bodies are in [Errors](errors.md), rates and sizes in [Operations](../guides/operations.md#limits). ' +
        '[A device in any language](../getting-started/device-in-any-language.md) is a complete device in 100 lines.',
      'Bodies are JSON in UTF-8 unless stated. Both sides ignore unknown fields, unless the operation rejects them. ' +
        'Where a field of a `POST` body may be absent, `null` counts as absent. ' +
        'A JSON body has at most 5 MiB and an upload at most 100 MiB, unless your app sets other limits. ' +
        'Each `GET` operation also supports `HEAD`.',
      'Lists of a dashboard are sorted newest first. If there are more rows, `nextCursor` is present: pass it as `cursor` to ' +
        'get the next page. Without `limit`, a page has 100 rows (1,000 for devices). Several filters are combined with "and".',
      exampleNote,
    ],
    operations: contract.deviceCloudOperations,
    subjects,
    made: createOperationSections(shown),
  })
}

/** Where an operation stands, seen from `docs/reference`. */
export const cloudPageOf = (operation: Operation) => `cloud/${subjectOf(subjects, operation).file}.md`

/** The events of `GET /api/devices/events`. */
function streamSections(): readonly string[] {
  const fieldsOf = (schema: z.core.$ZodType) => Object.keys(z.toJSONSchema(schema).properties ?? {})
  const rows = Object.entries(contract.deviceCloudEvents).map(([name, schema]) => [
    code(name),
    fieldsOf(schema).map(code).join(', '),
  ])
  return [
    '## Stream',
    'Events of [`streamDeviceEvents`](#streamdeviceevents). Each has `event`, `data` (JSON on one line) and `id`. ' +
      'The stream begins with a comment and an `id` without an event, and `: keepalive` fills 15 s of silence. ' +
      'It ends after five minutes: open it again with the last `id` as `Last-Event-ID`. ' +
      'After `reset`, read the lists again.',
    table(['Event', 'Fields'], rows),
  ]
}
