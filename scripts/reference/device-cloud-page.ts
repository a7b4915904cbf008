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
      'dashboardOperations',
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
    'The HTTP interface, from [its table](../../packages/contract/src/device-cloud/operations.ts). The reference server gives ' +
      'the same as OpenAPI 3.1 at `/openapi.json`. Decisions (`C9`) are in [Decisions](../decisions/README.md), error ' +
      'bodies in [Errors](errors.md), a device of 100 lines in ' +
      '[A device in any language](../getting-started/device-in-any-language.md), rates and sizes in [Operations](../guides/operations.md#limits).',
    'Bodies are JSON in UTF-8 unless stated. Unknown fields are ignored, in both directions, unless the operation rejects ' +
      'them. A JSON body has at most 5 MiB ' +
      'and an upload at most 100 MiB, unless the host set other limits. `GET` also answers `HEAD`.',
    'Lists of a dashboard come newest first. `nextCursor` is there when there is more: it is the `cursor` of the next page. ' +
      'Without `limit` a page has 100 rows, of devices 1,000. Of several filters all hold.',
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
    'Events of [`streamDeviceEvents`](#streamdeviceevents) (C34). Each has `event`, `data` (JSON on one line) and `id`. ' +
      'The stream begins with a comment and an `id` without an event, and `: keepalive` fills 15 s of silence. ' +
      'It ends after five minutes: open it again with the last `id` as `Last-Event-ID`. ' +
      'After `reset`, read the lists again.',
    table(['Event', 'Fields'], rows),
  ]
}
