import type { ReactNode } from 'react'
import {
  SwitchButton,
  SwitchField as AriaSwitchField,
  type SwitchFieldProps as AriaSwitchFieldProps,
  Text,
} from 'react-aria-components'
import './checkbox-field.css'

/** What a {@link SwitchField} takes besides what every switch takes. */
interface SwitchFieldProps extends Omit<AriaSwitchFieldProps, 'children' | 'className'> {
  readonly label: ReactNode
  readonly description?: ReactNode
}

/** An on or off that counts at once. */
export function SwitchField({ label, description, ...rest }: SwitchFieldProps) {
  return (
    <AriaSwitchField {...rest} className="checkbox-field">
      <SwitchButton className="checkbox-button">
        <span className="switch-track" aria-hidden />
        <span>{label}</span>
      </SwitchButton>
      {description !== undefined && (
        <Text slot="description" className="field-description">
          {description}
        </Text>
      )}
    </AriaSwitchField>
  )
}
