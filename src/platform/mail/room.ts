import type { Room } from '../../core/room.ts'
import { mailTasks } from './mail.ts'
import { personalMails } from './personal.ts'
import { mailRefusals } from './refusals.ts'

export const mail: Room = { slowTasks: mailTasks, refusals: mailRefusals, personal: [personalMails] }
