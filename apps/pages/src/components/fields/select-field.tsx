import { ChevronDown } from 'lucide-react'
import { Button, ListBox, ListBoxItem, Select, SelectValue } from 'react-aria-components'
import { FieldLabel, FieldNotes, type FieldTexts } from './field-parts.tsx'
import { OptionPopover } from './option-popover.tsx'
import './select-field.css'

/** One of the choices. */
export interface SelectOption<Value extends string = string> {
  readonly value: Value
  readonly label: string
  readonly isDisabled?: boolean
}

/** What a {@link SelectField} takes. */
interface SelectFieldProps<Value extends string> extends FieldTexts {
  readonly options: readonly SelectOption<Value>[]
  /** Null while nothing is chosen. */
  readonly value: Value | null
  readonly onChange: (value: Value) => void
  readonly placeholder?: string
  readonly isRequired?: boolean
  readonly isDisabled?: boolean
  readonly name?: string
}

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
      // The browser would check before a form has taken over what was chosen, and that nothing is chosen would stay.
      validationBehavior="aria"
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
      <OptionPopover count={options.length}>
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
      </OptionPopover>
    </Select>
  )
}
