import type { SearchGroup } from '@homeward/contract/device-cloud'
import { ProgressBar } from 'react-aria-components'
import '../../components/states/progress.css'

/** How many devices of a search have answered. */
export function GroupProgress({ group }: { readonly group: SearchGroup }) {
  const { total, counts } = group
  const settled = total - counts.pending
  const failed = counts.failed > 0 ? ` · ${counts.failed.toLocaleString()} failed` : ''
  const devices = total === 1 ? '1 device' : `${total.toLocaleString()} devices`
  const text = `${counts.completed.toLocaleString()} of ${devices} answered${failed}`
  return (
    <div>
      <ProgressBar
        className="progress"
        aria-label="Devices that answered"
        value={settled}
        maxValue={Math.max(total, 1)}
        valueLabel={text}
      >
        {({ percentage = 0 }) => (
          <>
            <span className="small muted numeric">{text}</span>
            <div className="progress-track">
              <div className="progress-fill" style={{ width: `${percentage}%` }} />
            </div>
          </>
        )}
      </ProgressBar>
      {/* Each step of a large fleet would be too much to hear. */}
      <p role="status" className="visually-hidden">
        {counts.pending === 0 && text}
      </p>
    </div>
  )
}
