hs = {status = "Progressing", message = "waiting for status"}
if obj.status == nil or obj.status.health == nil then return hs end
hs = {status = obj.status.health.status or "Progressing", message = obj.status.health.message or ""}
gate = (obj.metadata.annotations or {})["commodore-py/gate"]; if gate == nil then return hs end
if hs.status == "Degraded" and gate == "degraded-ok" then hs.status = "Healthy" end
if hs.status == "Missing" or (hs.status == "Degraded" and gate == "wait") then hs.status = "Progressing" end
sync, source = obj.status.sync or {}, obj.spec.source or {}; seen = (sync.comparedTo or {}).source or {}
fresh = sync.status == "Synced" and seen.path == source.path and seen.targetRevision == source.targetRevision
if hs.status == "Healthy" and not fresh then hs = {status = "Progressing", message = "not synced to this spec yet"} end
return hs
