import { type ReactNode, Suspense, useMemo, useState } from 'react'
import { Link, ToggleButton, ToggleButtonGroup } from 'react-aria-components'
import '../../components/table/plain-table.css'
import { formatCount, formatDuration } from '../../components/text/to-shown-text.ts'
import { formatUsd } from '../../usage/format-usage.ts'
import { toTotal } from '../../usage/usage-series.ts'
import { usePlatformQuery, platform } from '../../api/platform.ts'
import { useServerFacts } from '../../api/server-facts.ts'
import { Card } from '../../components/layout/card.tsx'
import { Disclosure } from '../../components/layout/disclosure.tsx'
import { lazyPart } from '../../components/states/lazy-part.ts'
import { QueryView } from '../../components/states/query-view.tsx'
import { useNow } from '../../components/text/use-now.ts'
import { useDeviceCounts } from '../../devices/use-devices.ts'
import { formatPoint } from './pulse-series.ts'
import {
  type Pulse as PulseOfRuns,
  type PulseRange,
  pulseStarts,
  results,
  toPulse,
  type PulseRun,
} from './pulse-series.ts'
import './pulse.css'
import { resultNames } from './pulse-series.ts'
import { useQuery } from '@tanstack/react-query'

const PulsePlot = lazyPart(async () => (await import('./pulse-plot.tsx')).default)

const minuteMs = 60_000
const ranges = [
  { range: 'day', label: '24 hours' },
  { range: 'week', label: '7 days' },
] as const satisfies readonly { range: PulseRange; label: string }[]

/** How the last day or week was: runs by result, cost, and devices. */
export function Pulse() {
  const [range, setRange] = useState<PulseRange>('day')
  const now = useNow(minuteMs)
  const first = pulseStarts(range, now)[0]! // a range has a start
  const from = new Date(first).toISOString()
  const runs = usePulseRuns(from)
  return (
    <Card
      title="Pulse"
      actions={
        <ToggleButtonGroup
          aria-label="Time"
          className="pulse-ranges"
          selectionMode="single"
          disallowEmptySelection
          selectedKeys={[range]}
          onSelectionChange={([chosen]) => setRange(chosen === 'week' ? 'week' : 'day')}
        >
          {ranges.map(({ range: id, label }) => (
            <ToggleButton key={id} id={id} className="pulse-range">
              {label}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      }
    >
      <QueryView query={runs}>
        {(reply) => <PulseView reply={reply} range={range} now={now} from={from} />}
      </QueryView>
    </Card>
  )
}

interface PulseViewProps {
  readonly reply: PulseRuns
  readonly range: PulseRange
  readonly now: number
  readonly from: string
}

function PulseView({ reply, range, now, from }: PulseViewProps) {
  const pulse = useMemo(() => toPulse(reply.runs, pulseStarts(range, now)), [reply, range, now])
  const { total, points, p95Ms } = pulse
  return (
    <>
      <dl className="pulse-totals">
        <Total name="Runs" href="/runs">
          {formatCount(total.all)}
          {reply.isCut && '+'}
        </Total>
        <Total name="Failed" href="/runs?status=failed">
          {formatCount(total.failed)}
        </Total>
        {p95Ms !== undefined && <Total name="95 % done within">{formatDuration(p95Ms)}</Total>}
        <CostTotal from={from} />
        <DevicesTotal />
      </dl>
      {reply.isCut && (
        <p className="muted small">Only the newest {formatCount(reply.runs.length)} runs are counted.</p>
      )}
      <Suspense fallback={<div className="pulse-plot" />}>
        <PulsePlot key={range} points={points} range={range} />
      </Suspense>
      <Disclosure title="Runs in numbers">
        <PulseTable pulse={pulse} range={range} />
      </Disclosure>
    </>
  )
}

interface TotalProps {
  readonly name: string
  readonly href?: string
  readonly children: ReactNode
}

function Total({ name, href, children }: TotalProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd className="numeric">{href === undefined ? children : <Link href={href}>{children}</Link>}</dd>
    </div>
  )
}

/** Nothing where no model that was used has a price. */
function CostTotal({ from }: { readonly from: string }) {
  const { data } = usePlatformQuery(
    'getUsage',
    { query: { from, interval: 'hour' } },
    { keepPrevious: true, refetchInterval: minuteMs },
  )
  const cost = data && toTotal(data).costUsd
  if (cost === undefined) return null
  return (
    <Total name="Cost" href="/usage">
      {formatUsd(cost)}
    </Total>
  )
}

function DevicesTotal() {
  return useServerFacts()?.serves.devices === true ? <OnlineDevices /> : null
}

function OnlineDevices() {
  const { total, online } = useDeviceCounts()
  if (total === undefined || online === undefined) return null
  return (
    <Total name="Devices online" href="/devices">
      {formatCount(online)} of {formatCount(total)}
    </Total>
  )
}

function PulseTable({ pulse, range }: { readonly pulse: PulseOfRuns; readonly range: PulseRange }) {
  return (
    // Focusable, so that a keyboard can scroll it where it is wider than the page.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="plain-table-frame" role="region" aria-label="Runs in numbers" tabIndex={0}>
      <table className="plain-table">
        <thead>
          <tr>
            <th scope="col">{range === 'day' ? 'Hour' : 'Day'}</th>
            {results.map((result) => (
              <th key={result} scope="col" className="end">
                {resultNames[result]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {pulse.points.toReversed().map((point) => (
            <tr key={point.startMs}>
              <th scope="row">{formatPoint(point.startMs, range)}</th>
              {results.map((result) => (
                <td key={result} className="end">
                  {formatCount(point[result])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const pageSize = '500'
const mostPages = 4
const readAgainMs = 30_000

/** Runs that began at a time or later. */
interface PulseRuns {
  readonly runs: readonly PulseRun[]
  /** Whether there are older ones that were not read. */
  readonly isCut: boolean
}

/** The newest runs since a time, at most 2,000. They are read every 30 seconds, not with each event: they may be many. */
function usePulseRuns(from: string) {
  return useQuery({
    queryKey: ['pulse', from],
    queryFn: ({ signal }) => readRuns(from, signal),
    refetchInterval: readAgainMs,
    staleTime: readAgainMs / 2,
  })
}

async function readRuns(from: string, signal: AbortSignal): Promise<PulseRuns> {
  const runs: PulseRun[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page += 1) {
    const query = { from, limit: pageSize, ...(cursor !== undefined && { cursor }) }
    const reply = await platform.listRuns({ query, signal })
    for (const {
      created_at: createdAt,
      status,
      duration_ms: durationMs,
      parent_run_id: parent,
    } of reply.runs) {
      if (parent === undefined) runs.push({ createdAt, status, durationMs })
    }
    cursor = reply.next_cursor
    if (cursor === undefined) break
  }
  return { runs, isCut: cursor !== undefined }
}
