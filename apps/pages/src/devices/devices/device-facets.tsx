import type { Device } from '@homeward/contract/device-cloud'
import { ToggleButton } from 'react-aria-components'
import type { DeviceFilter } from './device-filter.ts'
import './device-facets.css'
import type { Facet } from './offer-facets.ts'
import { useFacets } from './use-facets.ts'

interface DeviceFacetsProps {
  /** Devices that were read, whatever the filter. */
  readonly devices: readonly Device[]
  readonly filter: DeviceFilter
  readonly onChange: (changed: Partial<DeviceFilter>) => void
}

const groups: readonly { readonly field: Facet['field']; readonly title: string }[] = [
  { field: 'status', title: 'Status' },
  { field: 'platform', title: 'Platform' },
  { field: 'label', title: 'Labels' },
]

/** States, platforms and labels with how many devices have each: a press narrows the list. */
export function DeviceFacets({ devices, filter, onChange }: DeviceFacetsProps) {
  const facets = useFacets(devices, filter)
  return (
    <div className="device-facets">
      {groups.map(({ field, title }) => {
        const own = facets.filter((facet) => facet.field === field)
        if (own.length === 0) return null
        return (
          <div key={field} role="group" aria-label={title} className="device-facet-group">
            <span className="small muted" aria-hidden>
              {title}
            </span>
            {own.map(({ value, isChosen, count, next }) => (
              <ToggleButton
                key={value}
                className="device-facet"
                isSelected={isChosen}
                onChange={() => onChange(next)}
              >
                <span className="truncate">{value}</span>
                {count !== undefined && <span className="numeric muted">{count.toLocaleString()}</span>}
              </ToggleButton>
            ))}
          </div>
        )
      })}
    </div>
  )
}
