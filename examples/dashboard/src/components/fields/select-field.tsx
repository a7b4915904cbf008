import { ChevronDown } from 'lucide-react'
import {
  Button,
  ListBox,
  ListBoxItem,
  ListLayout,
  Popover,
  Select,
  SelectValue,
  Virtualizer,
} from 'react-aria-components'
import { FieldLabel, FieldNotes, type FieldTexts } from './field-parts.tsx'
import './select-field.css'

/** One of the choices. */
export interface SelectOption<Value extends string = string> {
  readonly value: Value
  readonly label: string
  readonly isDisabled?: boolean
}

/** What a {@link SelectField} takes. */
export interface SelectFieldProps<Value extends string> extends FieldTexts {
  readonly options: readonly SelectOption<Value>[]
  /** Null while nothing is chosen. */
  readonly value: Value | null
  readonly onChange: (value: Value) => void
  readonly placeholder?: string
  readonly isRequired?: boolean
  readonly isDisabled?: boolean
  readonly name?: string
}

/** More of them would keep the page busy for seconds: only those in sight are in the document. */
const maxPlain = 100

/** One choice of some, or of thousands. */
export function SelectField<Value extends string>({
  label,
  isLabelHidden,
  description,
  errorMessage,
  options,
  value,
  onChange,
  placeholder = 'Choose …',
  ...rest
}: SelectFieldProps<Value>) {
  return (
    <Select
      {...rest}
      {...(errorMessage && { isInvalid: true })}
      className="field"
      placeholder={placeholder}
      value={value}
      onChange={(key) => {
        const chosen = options.find((option) => option.value === key)
        if (chosen !== undefined) onChange(chosen.value)
      }}
    >
      <FieldLabel label={label} isHidden={isLabelHidden} isRequired={rest.isRequired} />
      <Button className="field-input select-button">
        <SelectValue className="truncate" />
        <ChevronDown aria-hidden />
      </Button>
      <FieldNotes description={description} errorMessage={errorMessage} />
      <Popover className="popover select-popover" {...(options.length > maxPlain && { 'data-long': true })}>
        <OptionList options={options} />
      </Popover>
    </Select>
  )
}

function OptionList({ options }: { readonly options: readonly SelectOption[] }) {
  const list = (
    <ListBox className="select-list" items={options.map((option) => ({ ...option, id: option.value }))}>
      {(option) => (
        <ListBoxItem
          className="select-item"
          textValue={option.label}
          {...(option.isDisabled !== undefined && { isDisabled: option.isDisabled })}
        >
          {option.label}
        </ListBoxItem>
      )}
    </ListBox>
  )
  if (options.length <= maxPlain) return list
  return (
    <Virtualizer layout={ListLayout} layoutOptions={{ estimatedRowSize: 33 }}>
      {list}
    </Virtualizer>
  )
}
