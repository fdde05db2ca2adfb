import { checkAcpx, checkPiAcp } from "./clients/editors.ts";
import { checkFamilyClient } from "./clients/family-client.ts";
import { checkOhMyPi } from "./clients/oh-my-pi.ts";
import { sessionReaders } from "./clients/session-readers.ts";
for (const f of [() => checkFamilyClient("@earendil-works/pi-coding-agent"), checkOhMyPi, checkPiAcp, checkAcpx, ...sessionReaders]) { const r = await f(); console.log(r.passed.length, r.failed.length); }
