import { globSync } from 'node:fs'
import * as contract from '@homeward/contract/device-cloud'
import { deviceCloudExamples } from '@homeward/contract/examples'
import * as z from 'zod/mini'
import { workspaceFolder } from '../workspace-packages.ts'
import { code, exampleNote, generatedNote, page, table } from './markdown.ts'
import { createOperationSections } from './operation-sections.ts'

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

/** The page of the device cloud's operations, from the table of the contract. */
export function deviceCloudPage(): string {
  const { index, operations, shapes } = createOperationSections({
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
  })
  return page(
    generatedNote,
    '# Device cloud',
    'The HTTP API of the device cloud. This page is generated from ' +
      '[its table](../../packages/contract/src/device-cloud/operations.ts). A running server has the same as an OpenAPI 3.1 ' +
      'document at `/openapi.json`.',
    'Error bodies are in [Errors](errors.md), rates and sizes in [Operations](../guides/operations.md#limits). ' +
      '[A device in any language](../getting-started/device-in-any-language.md) is a complete device in 100 lines.',
    'Bodies are JSON in UTF-8 unless stated. Both sides ignore unknown fields, unless the operation rejects them. ' +
      'Where a field of a `POST` body may be absent, `null` counts as absent. ' +
      'A JSON body has at most 5 MiB and an upload at most 100 MiB, unless your app sets other limits. ' +
      'Each `GET` operation also supports `HEAD`.',
    'Lists of a dashboard are sorted newest first. If there are more rows, `nextCursor` is present: pass it as `cursor` to ' +
      'get the next page. Without `limit`, a page has 100 rows (1,000 for devices). Several filters are combined with "and".',
    exampleNote,
    index,
    '## Operations',
    ...operations,
    ...streamSections(),
    '## Shapes',
    ...shapes,
  )
}

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
