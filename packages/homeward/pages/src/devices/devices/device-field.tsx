import { X } from 'lucide-react'
import { useMemo } from 'react'
import { Button, ComboBox, Group, Input, ListBox, ListBoxItem } from 'react-aria-components'
import { FieldLabel } from '../../components/fields/field-parts.tsx'
import { OptionPopover } from '../../components/fields/option-popover.tsx'
import '../../components/fields/suggest-field.css'
import { useDevices } from './use-devices.ts'

interface DeviceFieldProps {
  /** Empty for any. */
  readonly deviceId: string
  readonly onChange: (deviceId: string) => void
}

/** One device of however many, found by its name. */
export function DeviceField({ deviceId, onChange }: DeviceFieldProps) {
  const { data } = useDevices()
  const items = useMemo(() => data?.map(({ id, name }) => ({ id, name })) ?? [], [data])
  return (
    <ComboBox
      className="field"
      defaultItems={items}
      value={deviceId === '' ? null : deviceId}
      onChange={(key) => onChange(key === null ? '' : String(key))}
      // The list comes after the page: what is chosen has a name only then.
      key={items.length === 0 ? 'empty' : 'filled'}
    >
      <FieldLabel label="Device" isHidden />
      <Group className="suggest-field">
        <Input className="field-input" placeholder="Any device" dir="auto" />
        {deviceId !== '' && (
          <Button slot={null} className="suggest-button" aria-label="Any device" onPress={() => onChange('')}>
            <X aria-hidden />
          </Button>
        )}
      </Group>
      <OptionPopover count={items.length}>
        <ListBox className="select-list">
          {({ id, name }: { readonly id: string; readonly name: string }) => (
            <ListBoxItem id={id} textValue={name} className="select-item truncate">
              {name}
            </ListBoxItem>
          )}
        </ListBox>
      </OptionPopover>
    </ComboBox>
  )
}
