import {
  SearchResults,
  type SearchReport,
  type SearchRequest,
  type FoundFile,
  isResultNote,
  Skipped,
  Unread,
} from '@homeward/contract/device-cloud'
import * as z from 'zod/mini'
import { DeviceCloudError } from '../../device-cloud-error.ts'
import { allowsScope, type DevicePolicy, hasConsent } from '../../policy/device-policy.ts'
import type { SearchProviderResult, SearchProviders, Timers } from '../../ports/index.ts'
import { createAutoResetEvent } from '@homeward/kit'
import { toEmptyReport } from './empty-report.ts'
import { jsonBytes } from '../../json-bytes.ts'

/** What a search needs from its agent. */
export interface SearchOptions {
  readonly providers: SearchProviders
  readonly policy: DevicePolicy
  readonly deadlineMs: number
  readonly timers?: Timers | undefined
}

/** A finished search. */
export interface SearchOutcome {
  readonly report: SearchReport
  /** Why the policy refused it or a part of it. */
  readonly denied?: string | undefined
}

/** How long a scope may still answer when the deadline has aborted its signal: file searches give what they have found. */
const graceMs = 1000
/** Most entries of what could not be seen. */
const maxUnread = 200
/** 4 MiB a report, less room for the text around the results. */
const maxBytes = 4 * 1024 * 1024 - 16_384

/**
 * Runs every scope of a search at once and puts together what they gave.
 *
 * A scope that fails, that nobody provides or that the policy refuses is named in `error`; the results of the
 * others are kept. At the deadline the providers are stopped, and what they give within a second counts, as cut; then
 * what is known is reported. Rejects when `signal` aborts, with its reason.
 */
export async function runSearch(
  request: SearchRequest,
  options: SearchOptions,
  signal: AbortSignal,
): Promise<SearchOutcome> {
  const controller = new AbortController()
  const stop = () => controller.abort(signal.reason)
  signal.addEventListener('abort', stop, { signal: controller.signal })
  const scopes = [...new Set(request.scope)].slice(0, 16)
  const late = (scope: string) => `scope "${scope}" did not finish within ${options.deadlineMs / 1000} s`
  const findings: Findings = {
    found: new Map(),
    truncated: new Set(),
    unread: [],
    skipped: [],
    origin: {},
    problems: new Map(scopes.map((scope) => [scope, late(scope)])),
  }
  const work = runScopes(scopes, request, { ...options, findings }, controller.signal)
  await waitFor(work, options.deadlineMs, options, signal).finally(stop)
  await waitFor(work, graceMs, options, signal)
  signal.throwIfAborted()
  const { found, truncated, unread, skipped, problems } = findings
  const denied = [...problems.values()].find((problem) => problem.startsWith('policy_denied'))
  const error = toErrorText(problems)
  const note = {
    ...(unread.length > 0 && { unread: unread.slice(0, maxUnread) }),
    ...(skipped.length > 0 && { skipped: skipped.slice(0, maxUnread) }),
    ...findings.origin,
  }
  const limits = { maxRows: maxRowsOf(request), maxBytes: maxBytes - sizeOf(note) }
  const trimmed = trimResults(joinFiles(found), truncated, limits)
  const results = { ...trimmed, ...note }
  return {
    report: { ...toEmptyReport(request, error), scope: scopes, results },
    denied,
  }
}

/** Waits for `work`, but no longer than `ms` and until `signal` aborts. */
async function waitFor(
  work: Promise<void>,
  ms: number,
  { timers }: SearchOptions,
  signal: AbortSignal,
): Promise<void> {
  const wakeup = createAutoResetEvent(timers)
  await Promise.race([work, wakeup.wait(ms, signal)]).finally(wakeup.set)
}

/** What is known of a search so far, by scope. */
interface Findings {
  readonly found: Map<string, unknown>
  readonly truncated: Set<string>
  readonly unread: Unread[]
  readonly skipped: Skipped[]
  /** Where the files come from, and of when they are, if their provider says so. */
  origin: Pick<SearchResults, 'source' | 'asOf'>
  /** Starts with every scope as late. */
  readonly problems: Map<string, string>
}

/** Writes down what each scope gives. One that fails when `signal` has aborted stays late: that is why it failed. */
async function runScopes(
  scopes: readonly string[],
  request: SearchRequest,
  { findings, ...options }: SearchOptions & { readonly findings: Findings },
  signal: AbortSignal,
): Promise<void> {
  const { found, truncated, unread, problems } = findings
  const isAgreed = await hasConsent(options.policy, { action: 'search', request }, signal)
  if (signal.aborted) return
  const run = async (scope: string) => {
    try {
      if (!isAgreed)
        throw new DeviceCloudError('POLICY_DENIED', 'the owner of this device denied the request')
      const answer = await runScope(scope, request, options, signal)
      found.set(scope, answer.found)
      // Both give files: with both of them, it is where their names come from.
      if (scope === 'files' || (scope === 'content' && !scopes.includes('files')))
        findings.origin = originOf(answer)
      unread.push(...answer.unread.map((part) => ({ ...part, scope })))
      findings.skipped.push(...answer.skipped)
      if (answer.truncated || signal.aborted) truncated.add(scope).add(keyOf(scope))
      problems.delete(scope)
    } catch (error) {
      if (!signal.aborted) problems.set(scope, toProblem(scope, error))
    }
  }
  await Promise.all(scopes.map(run))
}

async function runScope(
  scope: string,
  request: SearchRequest,
  { providers, policy }: SearchOptions,
  signal: AbortSignal,
): Promise<
  SearchProviderResult<unknown> & Required<Pick<SearchProviderResult<unknown>, 'unread' | 'skipped'>>
> {
  if (!allowsScope(policy, scope)) {
    throw new DeviceCloudError('POLICY_DENIED', `scope "${scope}" is not allowed on this device`)
  }
  // Some keys of the results have a meaning of their own; inherited names are nobody's provider.
  const provider = !isResultNote(scope) && Object.hasOwn(providers, scope) ? providers[scope] : undefined
  if (!provider) throw new DeviceCloudError('NOT_FOUND', `scope "${scope}" is not supported by this device`)
  const { id: queryId, query, where, sort } = request
  const maxRows = maxRowsOf(request)
  const task = { queryId, query, scope, ...(where && { where }), ...(sort && { sort }), maxRows, signal }
  const answer = (await provider(task)) as SearchProviderResult<unknown> | null | undefined // as code without types may give
  const given = answer?.found
  // One row more than the limit tells the trimming that there were more.
  const found = toPlain(Array.isArray(given) ? given.slice(0, maxRows + 1) : given)
  if (found === undefined) throw new Error('its provider returned no result. It must return { found: … }')
  const parsed = z.safeParse(SearchResults, { [keyOf(scope)]: found })
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.join('.') ?? scope
    throw new Error(`its provider returned an invalid result at "${path}"`)
  }
  const unread = UnreadParts.safeParse(toPlain(answer?.unread ?? []))
  if (!unread.success) throw new Error('its provider returned an invalid list "unread"')
  const skipped = SkippedList.safeParse(toPlain(answer?.skipped ?? []))
  if (!skipped.success) throw new Error('its provider returned an invalid list "skipped"')
  const { truncated = false } = answer ?? {}
  const lists = { unread: unread.data, skipped: skipped.data }
  return { found: parsed.data[keyOf(scope)], truncated, ...lists, ...originOf(answer ?? {}) }
}

function originOf({ source, asOf }: Partial<SearchProviderResult<unknown>> = {}) {
  return { ...(typeof source === 'string' && { source }), ...(typeof asOf === 'string' && { asOf }) }
}

// not z.omit, which devices would pay for in bytes
const { reason, path, count } = Unread.shape
const UnreadParts = z.array(z.object({ reason, path, count }))
const SkippedList = z.array(Skipped)

/** Rows of a scope that a search asks for. */
const maxRowsOf = ({ limit = 1000 }: SearchRequest): number => limit

/** Where the results of a scope stand in a report. */
const keyOf = (scope: string): string => (scope === 'content' ? 'files' : scope)

/**
 * A value as the report will hold it, once and for all: what JSON cannot write is the problem of its scope alone, and
 * not of the report when that is measured, kept or sent.
 */
function toPlain(value: unknown): unknown {
  // Undefined for what JSON leaves out, such as functions.
  const text: string | undefined = JSON.stringify(value)
  return text && (JSON.parse(text) as unknown)
}

function toProblem(scope: string, error: unknown): string {
  if (DeviceCloudError.is(error)) {
    if (error.code === 'POLICY_DENIED') return `policy_denied: ${error.message}`
    if (error.code === 'NOT_FOUND') return error.message
  }
  const text = error instanceof Error ? error.message : 'its provider threw'
  return `scope "${scope}" failed: ${text.slice(0, 300)}`
}

/** One text for all problems, refusals first; at most 4,096 characters. Null when there is none. */
function toErrorText(problems: ReadonlyMap<string, string>): string | null {
  const texts = [...new Set(problems.values())].toSorted(
    (a, b) => Number(b.startsWith('policy_denied')) - Number(a.startsWith('policy_denied')),
  )
  return texts.length === 0 ? null : texts.join('; ').slice(0, 4096)
}

/**
 * Puts the files that the scope `content` found into the list of `files`. They come first, because a report may be cut, and
 * a file that both scopes found stands there once, with its matches.
 */
function joinFiles(found: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
  const joined = new Map(found)
  if (!joined.delete('content')) return found
  // Both lists were parsed as they were found.
  const content = found.get('content') as readonly FoundFile[]
  const named = (found.get('files') ?? []) as readonly FoundFile[]
  const paths = new Set(content.map(({ path }) => path))
  return joined.set('files', [...content, ...named.filter(({ path }) => !paths.has(path))])
}

/** Limits of a report (C18). */
interface TrimLimits {
  /** Most rows of a scope. */
  readonly maxRows: number
  /** Most bytes of all scopes together, as JSON in UTF-8. */
  readonly maxBytes: number
}

/** With what parts it from the next one. */
const sizeOf = (value: unknown) => jsonBytes(value) + 1

/**
 * Cuts results to the limits and says which scopes were cut, in `truncated`.
 *
 * Small scopes stay whole; what they leave is shared by the large ones. A value that is not a list and does not
 * fit is left out.
 */
export function trimResults(
  found: ReadonlyMap<string, unknown>,
  cut: ReadonlySet<string>,
  { maxRows, maxBytes }: TrimLimits,
): SearchResults {
  const truncated = new Set(cut)
  const scopes = [...found].map(([scope, value]) => {
    const rows = Array.isArray(value) && value.length > maxRows ? value.slice(0, maxRows) : value
    if (rows !== value) truncated.add(scope)
    return { scope, value: rows, bytes: sizeOf(rows) + sizeOf(scope) }
  })
  scopes.sort((a, b) => a.bytes - b.bytes)
  const results = new Map<string, unknown>()
  let leftBytes = maxBytes
  for (const [index, { scope, value, bytes }] of scopes.entries()) {
    const shareBytes = leftBytes / (scopes.length - index)
    const fits = bytes <= shareBytes
    if (!fits) truncated.add(scope)
    const kept = fits
      ? value
      : Array.isArray(value)
        ? truncateRows(value, shareBytes - sizeOf(scope) - 2)
        : undefined
    if (kept === undefined) continue
    results.set(scope, kept)
    leftBytes -= fits ? bytes : shareBytes
  }
  if (truncated.size > 0)
    results.set('truncated', Object.fromEntries([...truncated].map((scope) => [scope, true])))
  return Object.fromEntries(results)
}

function truncateRows(rows: readonly unknown[], maxBytes: number): unknown[] {
  let leftBytes = maxBytes
  const end = rows.findIndex((row) => (leftBytes -= sizeOf(row)) < 0)
  return rows.slice(0, end < 0 ? rows.length : end)
}
