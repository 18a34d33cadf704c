import { type CodeOf, type Refuse, refusalsOf } from '../../lib/errors.ts'
import { beneficiaryRefusals } from '../beneficiaries/beneficiaries.ts'

export const scheduleRefusals = refusalsOf({}, beneficiaryRefusals)
export const refuse: Refuse<CodeOf<typeof scheduleRefusals>> = scheduleRefusals.refuse
