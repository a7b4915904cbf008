import { globSync } from 'node:fs'
import * as contract from '@homeward/contract/device-cloud'
import { workspaceFolder } from '../workspace-packages.ts'
import { generatedNote, page } from './markdown.ts'
import { createOperationSections } from './operation-sections.ts'

const { Device, DeviceMetadata, FoundApp, FoundFile, SearchQuery, SearchReportReply, SearchRequest } =
  contract
const { SearchResults, SystemFacts, Upload, UploadRequest, UploadResult } = contract

/** The page of the device cloud's operations, from the table of the contract. */
export function deviceCloudPage(): string {
  const { index, operations, shapes } = createOperationSections({
    title: 'Device cloud',
    operations: contract.deviceCloudOperations,
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
    },
    sources: globSync('packages/contract/src/device-cloud/*.ts', { cwd: workspaceFolder }).toSorted(),
    tables: [
      'deviceOperations',
      'dashboardOperations',
      'auditOperations',
      'chunkOperations',
      'fileOperations',
    ],
    mixins: { '*': ['StoredLinks'] },
  })
  return page(
    generatedNote,
    '# Device cloud',
    'The HTTP interface, from [its table](../../packages/contract/src/device-cloud/operations.ts). The reference server gives ' +
      'the same as OpenAPI 3.1 at `/openapi.json`. Decisions (`C9`) are in [Decisions](../decisions/README.md), error ' +
      'bodies in [Errors](errors.md), rates and sizes in [Operations](../guides/operations.md#limits).',
    'Bodies are JSON in UTF-8 unless stated. Unknown fields are ignored, in both directions. A JSON body has at most 5 MiB ' +
      'and an upload at most 100 MiB, unless the host set other limits. `GET` also answers `HEAD`.',
    'Lists of a dashboard come newest first. `nextCursor` is there when there is more: it is the `cursor` of the next page. ' +
      'Without `limit` a page has 100 rows, of devices 1,000. Of several filters all hold.',
    index,
    '## Operations',
    ...operations,
    '## Shapes',
    ...shapes,
  )
}
