#!/bin/sh
# Stops the service when the package goes, and not when it is replaced by another version:
# dpkg says "remove", rpm says 0. The data folder stays.
set -e

case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now shelly.service
	fi
	;;
esac
