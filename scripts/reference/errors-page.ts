import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ErrorStatus,
  type ErrorTable,
  errorReplies,
  errorRepliesOf,
  type Operation,
  type OperationTable,
  unauthorizedErrors,
} from '@homeward/contract'
import { deviceCloudOperations } from '@homeward/contract/device-cloud'
import { CloudStoreError, type CloudStoreErrorCode } from '@homeward/cloud-core/memory'
import { agentPlatformOperations, platformErrorReplies } from '@homeward/contract/agent-platform'
import { RuntimeError, type RuntimeErrorCode } from '@homeward/agent-runtime'
import { HttpError } from '@homeward/contract/handler'
import { DeviceCloudError, type DeviceCloudErrorCode } from '@homeward/device-sdk'
import { SkillStoreError, type SkillStoreErrorCode } from '@homeward/skill-store-client'
import { toHttpError } from '../../packages/agent-runtime/src/server/platform-errors.ts'
import { workspaceFolder } from '../workspace-packages.ts'
import { platformPageOf } from './agent-platform-page.ts'
import { cloudPageOf } from './device-cloud-page.ts'
import { code, generatedNote, page, table } from './markdown.ts'
import { codeComments } from './source-comments.ts'

/** What a caller does about a status. */
const advice: Readonly<Record<ErrorStatus, string>> = {
  400: 'Correct what `message` names. The same request fails again.',
  401: 'Device: get a new key. User: sign in again.',
  403: 'Use a host name that the server accepts (`ALLOWED_HOSTS`), and a token with the needed rights. In a browser, use a page of an accepted site.',
  404: 'Check the id or path that `error` names. A retry gets the same response.',
  405: 'Use one of the methods in `Allow`.',
  409: 'Read the current state, then decide. If an `Idempotency-Key` was used before, choose a new one.',
  412: 'Read the resource again, and repeat the change with its new `ETag`.',
  413: 'Send less, or ask the operator to raise the limit.',
  415: 'Send the content type of the operation, without compression.',
  416: 'Ask for bytes that the file has, or leave `Range` out.',
  422: 'Correct the skill as `message` says.',
  429: 'Wait for the seconds in `Retry-After`, then retry.',
  500: 'Retry with exponential back-off.',
  501: 'Ask the operator to install the package that `message` names.',
  502: 'Read `message`, and retry later.',
  503: 'Retry after the seconds in `Retry-After`, or after some seconds.',
  504: 'Raise `max_runtime`, or ask for less.',
}

/** The same where the agent platform differs. */
const platformAdvice: Readonly<Partial<Record<ErrorStatus, string>>> = {
  401: 'Send the access token: `Authorization: Bearer <token>`.',
  404: 'Check the id or path that `message` names. A retry gets the same response.',
  409: 'Read the current state, then decide. If an idempotency key was used before, choose a new one.',
}

/** The page of errors: the documented ones of HTTP, and the codes of the libraries. */
export function errorsPage(): string {
  return page(
    generatedNote,
    '# Errors',
    ...cloudSections(),
    ...outcomeSections(),
    ...platformSections(),
    ...librarySections(),
  )
}

function cloudSections(): string[] {
  return [
    '## Device cloud, over HTTP',
    'Every error is JSON. `error` names the kind of error and does not change. `message` explains the case, and its text may ' +
      'change. Every response has the header `X-Request-Id`, errors too.',
    table(['Status', 'Body', 'When', 'What to do'], httpRows()),
    'The texts of 404 and 409 name what was not found, or what the request contradicts:',
    table(['Status', '`error`', '`message`'], subjectRows()),
    'An unknown path gets 404 `Not found`. Any other failure of the server gets 500. Its cause goes to `onError` of your app, never ' +
      'to the caller.',
    '### Which operation gives which',
    table(['Operation', 'Errors'], operationRows(deviceCloudOperations, cloudPageOf)),
  ]
}

function outcomeSections(): string[] {
  return [
    '### Not errors',
    'A failed search, or a file that a device could not deliver, is an outcome and not an error, because the report itself was ' +
      'accepted. The response is 200 with `success: false`. A repeated report gets the same response with the stored outcome.',
    table(
      ['Response', 'When'],
      [
        [
          code('{"success":false,"queryId":"…","status":"failed","error":"…"}'),
          'The search is `failed`: the device said so, or it expired.',
        ],
        [
          code('{"success":false,"error":"…"}'),
          'The upload request is `failed`, or `canceled` (then `error` is `canceled`).',
        ],
      ],
    ),
  ]
}

function platformSections(): string[] {
  return [
    '## Agent platform, over HTTP',
    'Every error is `{"error", "code", "request_id"}`, usually with `message`, sometimes with `details`. `error` is for people: branch ' +
      'on `code`. The code is the one below, or another code of [RuntimeError](#runtimeerror) with the same status.',
    table(['Status', '`code`', 'When', 'What to do'], platformRows()),
    '### Failed runs',
    'If a run fails, `/api/agents/run` responds with 502 if the model failed, 504 if the maximum duration was reached, and 500 ' +
      'otherwise. The body is the [run result](platform/runs.md#runresult) with `success: false`, `error`, `code` and `request_id`. ' +
      'Every other outcome is 200, also a cancelled run: see `success` and `stop_reason`.',
    '### Which operation of the platform gives which',
    table(
      ['Operation', 'Errors'],
      operationRows(agentPlatformOperations, platformPageOf, platformErrorReplies),
    ),
  ]
}

function librarySections(): string[] {
  return [
    '## RuntimeError',
    'Thrown by everything in `@homeward/agent-runtime`. Branch on `code`. `retryable` says whether the same call may succeed ' +
      'later. A failed run does not throw: its result has the `code`.',
    table(['`code`', 'HTTP', 'When'], runtimeRows()),
    '## SkillStoreError',
    'Thrown by everything in `@homeward/skill-store-client`. Branch on `code`. An error with a `status` is ' +
      'retryable only if the status is at least 500.',
    table(['`code`', 'Retryable', 'When'], skillStoreRows()),
    '## DeviceCloudError',
    'Thrown by everything in `@homeward/device-sdk`. Branch on `code`. `retryable` says whether the same call may succeed ' +
      'later. `status` and `retryAfterMs` are present if the cloud responded.',
    table(['`code`', 'Retryable', 'When'], deviceRows()),
    '## ClientError',
    'Thrown by the clients of `@homeward/contract/client`.',
    table(['`code`', 'When'], rowsOf('packages/contract/src/client/client-error.ts', 'ClientErrorCode')),
    '## CloudStoreError',
    'Thrown by the adapters of `@homeward/cloud-core`. Callers of the HTTP API get 500.',
    table(['`code`', 'Retryable', 'When'], storeRows()),
  ]
}

function httpRows(): string[][] {
  const unauthorized = [...new Set([unauthorizedErrors.device, unauthorizedErrors.session])].map((error) => ({
    status: 401 as const,
    error,
    hasMessage: false,
    description: `${error === unauthorizedErrors.device ? 'The API key' : 'The user session'} is missing or not valid.`,
  }))
  const replies = [...Object.values(errorReplies), ...unauthorized].toSorted((a, b) => a.status - b.status)
  return replies.map((reply) => {
    const body = `{"error":"${reply.error}"${reply.hasMessage ? ',"message":"…"' : ''}}`
    const headers = 'headers' in reply ? Object.entries(reply.headers) : []
    const carried = headers.map(([name, holds]) => ` \`${name}\`: ${holds}`).join('')
    return [String(reply.status), code(body), reply.description + carried, advice[reply.status]]
  })
}

/** Reads the texts where they are thrown, so that none is missing. */
function subjectRows(): string[][] {
  const files = globSync('packages/{contract,cloud-core}/src/**/*.ts', { cwd: workspaceFolder }).toSorted()
  const thrown = files
    .filter((file) => !/\.test(-d)?\.ts$/.test(file))
    .flatMap((file) => [
      ...readFileSync(join(workspaceFolder, file), 'utf8').matchAll(
        /new HttpError\((404|409), \{\s*error: '([^']+)'(?:,\s*message:\s*(['`])(.+?)\3)?/g,
      ),
    ])
  const rows = thrown.map(([, status = '', error = '', , message = '']) => {
    return [status, code(error), message.replaceAll(/\$\{[^}]*\}/g, '…')]
  })
  const unique = new Map(rows.map((row) => [row.join(), row]))
  return [...unique.values()].toSorted((a, b) => (a.join() < b.join() ? -1 : 1))
}

function operationRows(
  table: OperationTable,
  pageOf: (operation: Operation) => string,
  known?: ErrorTable['replies'],
): string[][] {
  return Object.entries(table).map(([id, operation]) => {
    const statuses = errorRepliesOf(operation, known).map(({ status }) => status)
    return [`[\`${id}\`](${pageOf(operation)}#${id.toLowerCase()})`, statuses.join(', ')]
  })
}

function platformRows(): string[][] {
  const operations = Object.values<Operation>(agentPlatformOperations)
  const given = operations.flatMap((operation) => errorRepliesOf(operation, platformErrorReplies))
  const replies = [...new Set([...given, platformErrorReplies[405]])].toSorted((a, b) => a.status - b.status)
  return replies.map((reply) => {
    const headers = 'headers' in reply ? Object.entries(reply.headers ?? {}) : []
    const carried = headers.map(([name, holds]) => ` \`${name}\`: ${holds}`).join('')
    return [
      String(reply.status),
      code(reply.code ?? ''),
      reply.description + carried,
      platformAdvice[reply.status] ?? advice[reply.status],
    ]
  })
}

function runtimeRows(): string[][] {
  return rowsOf('packages/agent-runtime/src/ports/runtime-error.ts', 'RuntimeErrorCode').map(
    ([member = '', when = '']) => {
      // A member of the union, by its own comment.
      const given = toHttpError(new RuntimeError(member.replaceAll('`', '') as RuntimeErrorCode, ''))
      return [member, given instanceof HttpError ? String(given.status) : '', when]
    },
  )
}

function skillStoreRows(): string[][] {
  return rowsOf('packages/skill-store-client/src/skill-store-error.ts', 'SkillStoreErrorCode').map(
    ([member = '', when = '']) => {
      const error = new SkillStoreError(member.replaceAll('`', '') as SkillStoreErrorCode, '')
      return [member, error.retryable ? 'yes' : 'no', when]
    },
  )
}

const rowsOf = (path: string, typeName: string) =>
  [...codeComments(path, typeName)].map(([member, comment]) => [
    code(member),
    comment.charAt(0).toUpperCase() + comment.slice(1),
  ])

function deviceRows(): string[][] {
  return rowsOf('packages/device-sdk/src/device-cloud-error.ts', 'DeviceCloudErrorCode').map(
    ([member = '', when = '']) => {
      // A member of the union, by its own comment.
      const error = new DeviceCloudError(member.replaceAll('`', '') as DeviceCloudErrorCode, '')
      return [member, error.retryable ? 'yes' : 'no', when]
    },
  )
}

function storeRows(): string[][] {
  return rowsOf('packages/cloud-core/src/ports/cloud-store-error.ts', 'CloudStoreErrorCode').map(
    ([member = '', when = '']) => {
      const error = new CloudStoreError(member.replaceAll('`', '') as CloudStoreErrorCode, '')
      return [member, error.retryable ? 'yes' : 'no', when]
    },
  )
}
