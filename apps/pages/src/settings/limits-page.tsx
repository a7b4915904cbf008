import type { Quota, QuotaName } from '@homeward/contract/device-cloud'
import { Meter } from 'react-aria-components'
import { useCloudQuery } from '../api/cloud.ts'
import { Card } from '../components/layout/card.tsx'
import { PageHeader } from '../components/layout/page-header.tsx'
import '../components/states/progress.css'
import { QueryView } from '../components/states/query-view.tsx'
import { formatBytes } from '../components/text/byte-size.tsx'
import { formatCount } from '../components/text/to-shown-text.ts'

/** Limits of the device cloud, and how much of each is used. */
export function LimitsPage() {
  const query = useCloudQuery('listQuotas', undefined, { refetchInterval: 30_000 })
  return (
    <>
      <PageHeader
        title="Limits"
        description="Limits of the device cloud, and how much of each is used. The operator of the server sets them."
      />
      <QueryView query={query}>
        {({ quotas }) => (
          <div className="grid">
            {quotas.map((quota) => (
              <QuotaCard key={quota.name} quota={quota} />
            ))}
          </div>
        )}
      </QueryView>
    </>
  )
}

interface QuotaText {
  readonly title: string
  readonly format: (value: number) => string
  /** The meaning of the limit, and the effect above it. */
  readonly effect: string
}

const texts: Readonly<Record<QuotaName, QuotaText>> = {
  devices: {
    title: 'Devices',
    format: (count) => (count === 1 ? '1 device' : `${formatCount(count)} devices`),
    effect: 'Above the limit, no device can be added. Delete a device to add another.',
  },
  pendingPerDevice: {
    title: 'Waiting for one device',
    format: (count) => (count === 1 ? '1 request' : `${formatCount(count)} requests`),
    effect:
      'Searches and files that a device has not answered; the highest number of any device counts. Above the limit, new requests fail.',
  },
  searchesPerDay: {
    title: 'Searches today',
    format: (count) => (count === 1 ? '1 search' : `${formatCount(count)} searches`),
    effect:
      'Each searched device counts as one search. Above the limit, new searches fail until midnight (UTC).',
  },
  storedBytes: {
    title: 'Stored files',
    format: formatBytes,
    effect: 'Files that devices sent, and their catalogs. Above the limit, devices cannot send more.',
  },
}

/** From here on a limit is near. */
const nearPercent = 80

function QuotaCard({ quota }: { readonly quota: Quota }) {
  const { title, format, effect } = texts[quota.name]
  return (
    <Card title={title}>
      {quota.limit === undefined ? (
        <p>{format(quota.used)}, without a limit.</p>
      ) : (
        <>
          <QuotaMeter title={title} used={quota.used} limit={quota.limit} format={format} />
          <p className="muted small">{effect}</p>
        </>
      )}
    </Card>
  )
}

interface QuotaMeterProps extends Pick<QuotaText, 'title' | 'format'> {
  readonly used: number
  readonly limit: number
}

function QuotaMeter({ title, used, limit, format }: QuotaMeterProps) {
  const text = describeQuota(used, limit, format)
  return (
    <Meter
      className="progress"
      aria-label={title}
      value={Math.min(used, limit)}
      maxValue={Math.max(limit, 1)}
      valueLabel={text}
    >
      {({ percentage }) => (
        <>
          <span>{text}</span>
          <div className="progress-track">
            <div
              className="progress-fill"
              style={{
                width: `${percentage}%`,
                ...(percentage >= nearPercent && { background: 'var(--color-warn)' }),
              }}
            />
          </div>
        </>
      )}
    </Meter>
  )
}

/** "3 devices of at most 5": says how much is left once it is little. */
export function describeQuota(used: number, limit: number, format: (value: number) => string): string {
  if (used >= limit) return `${format(used)}: the limit of ${format(limit)} is reached`
  const count = format === formatBytes ? formatBytes(used) : formatCount(used)
  const text = `${count} of at most ${format(limit)}`
  return used * 100 >= limit * nearPercent ? `${text}, ${format(limit - used)} left` : text
}
