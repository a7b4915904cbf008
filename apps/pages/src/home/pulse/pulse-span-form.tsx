import { LinkButton } from '../../components/buttons/link-button.tsx'
import { SelectField } from '../../components/fields/select-field.tsx'
import { activityLink, type PulseSpan, spanOf } from './activity-link.ts'
import { formatWholePoint } from './format-point.ts'
import type { PulseRange } from './pulse-series.ts'

/** What a {@link PulseSpanForm} takes. */
export interface PulseSpanFormProps {
  readonly starts: readonly number[]
  readonly range: PulseRange
  readonly span: PulseSpan
  readonly onChange: (span: PulseSpan) => void
}

/** Chooses a part of the pulse without a mouse. */
export function PulseSpanForm({ starts, range, span, onChange }: PulseSpanFormProps) {
  const { first, last } = span
  const firsts = starts.map((startMs, place) => ({
    value: String(place),
    label: formatWholePoint(startMs, range),
  }))
  // An hour ends with the begin of the next one; a day is named itself.
  const lasts = starts.map((startMs, place) => ({
    value: String(place),
    label:
      place === starts.length - 1
        ? 'Now'
        : formatWholePoint(range === 'day' ? (starts[place + 1] ?? startMs) : startMs, range),
  }))
  return (
    <div className="pulse-span">
      <SelectField
        label="From"
        options={firsts}
        value={String(first)}
        onChange={(place) => onChange({ first: Number(place), last: Math.max(Number(place), last) })}
      />
      <SelectField
        label="To"
        options={lasts}
        value={String(last)}
        onChange={(place) => onChange(spanOf(Math.min(first, Number(place)), Number(place)))}
      />
      <LinkButton href={activityLink(starts, span)}>Show in Activity</LinkButton>
    </div>
  )
}
